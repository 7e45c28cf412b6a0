package webhooks

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// deadlined is a writer that takes a read deadline, as a server's does.
type deadlined struct {
	*httptest.ResponseRecorder
	until time.Time
}

func (d *deadlined) SetReadDeadline(t time.Time) error {
	d.until = t
	return nil
}

// A refused request is read to its end where it is small, so that the client of an
// HTTP/2 stream sees the answer and no reset; and no further.
func TestRefusedBodyIsFinished(t *testing.T) {
	for name, tt := range map[string]struct {
		major, size, left int
	}{
		"HTTP/2":            {2, 1000, 0},
		"HTTP/2, too large": {2, firstBuffer + 1, firstBuffer + 1},
		"HTTP/1.1":          {1, 1000, 1000},
	} {
		t.Run(name, func(t *testing.T) {
			h := newTestHandler(t)
			body := strings.NewReader(strings.Repeat("x", tt.size))
			r := newRequest("")
			r.Body, r.ContentLength, r.ProtoMajor = io.NopCloser(body), int64(tt.size), tt.major
			r.Header.Del("Authorization")
			w := &deadlined{ResponseRecorder: httptest.NewRecorder()}
			h.ServeHTTP(w, r)
			if w.Code != http.StatusUnauthorized {
				t.Errorf("answer %d", w.Code)
			}
			if body.Len() != tt.left {
				t.Errorf("%d bytes are left, want %d", body.Len(), tt.left)
			}
			if finished := tt.left == 0; finished != !w.until.IsZero() {
				t.Errorf("read deadline %v", w.until)
			}
		})
	}
}
