package identity

import (
	"strings"
	"testing"
)

func TestAPanicIsNoAnswer(t *testing.T) {
	answer, err := survive(func() (bool, error) { panic("a-secret-token") })
	if err == nil || answer {
		t.Fatalf("answered %v, %v", answer, err)
	}
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("the error tells what panicked: %v", err)
	}
}
