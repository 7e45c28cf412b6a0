// Command call asks Callgate about one tool call.
package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	reviewv1alpha1 "github.com/callgate/callgate/api/review/v1alpha1"
)

func main() {
	ca, err := os.ReadFile(os.Getenv("CALLGATE_CA"))
	if err != nil {
		log.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	client := &http.Client{Timeout: 2 * time.Second, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true,
	}}
	review := reviewv1alpha1.ToolCallReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "review.callgate.dev/v1alpha1", Kind: "ToolCallReview"},
		Request: &reviewv1alpha1.ToolCallReviewRequest{Calls: []reviewv1alpha1.ToolCall{
			{ID: "call_1", Name: "get_weather", Arguments: json.RawMessage(`{"days": true, "tz": "UTC"}`)},
		}},
	}
	answer, err := ask(client, review)
	if err != nil {
		log.Fatal(err) // not answered is not allowed
	}
	for _, r := range answer.Results {
		fmt.Println(r.ID, r.Allowed, r.Code, r.Errors)
	}
}

func ask(client *http.Client, review reviewv1alpha1.ToolCallReview) (*reviewv1alpha1.ToolCallReviewResponse, error) {
	body, err := json.Marshal(review)
	if err != nil {
		return nil, err
	}
	token, err := os.ReadFile(os.Getenv("CALLGATE_TOKEN"))
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequest(http.MethodPost,
		os.Getenv("CALLGATE_URL")+"/apis/review.callgate.dev/v1alpha1/toolcallreviews", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("callgate answered %s", response.Status)
	}
	if err := json.NewDecoder(response.Body).Decode(&review); err != nil {
		return nil, err
	}
	if review.Response == nil {
		return nil, fmt.Errorf("callgate's answer has no response")
	}
	return review.Response, nil
}
