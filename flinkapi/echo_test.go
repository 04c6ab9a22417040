package flinkapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"tidemark/flinkapi"
	"tidemark/internal/flinktest"
)

// Credentials that a cluster repeats in the errors of some endpoints appear neither in the capture, from which reports are
// made, nor in a recording.
func TestEchoedCredentialsStayOutOfCaptureAndRecording(t *testing.T) {
	echo := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !strings.Contains(r.URL.Path, "/exceptions") && !strings.Contains(r.URL.Path, "/taskmanagers") {
				next.ServeHTTP(w, r)
				return
			}
			said := r.Header.Get("Authorization") + " " + r.Header.Get("X-Key")
			_, bare, _ := strings.Cut(r.Header.Get("X-Key"), " ")
			body, _ := json.Marshal(map[string]any{"errors": []string{"denied: " + said + "; key " + bare}})
			w.WriteHeader(http.StatusForbidden)
			w.Write(body)
		})
	}
	for name, change := range map[string]func(*flinkapi.ClientOptions){
		"token":  func(o *flinkapi.ClientOptions) { o.Token = "tok-secret" },
		"basic":  func(o *flinkapi.ClientOptions) { o.User, o.Pass = "ann", "pw<secret>\"" },
		"header": func(o *flinkapi.ClientOptions) { o.Headers = map[string]string{"X-Key": "Bearer key-secret"} },
	} {
		entries := load(t, "healthy-2.3.0")
		clock := flinktest.NewClock(entries[0].T)
		var recorded bytes.Buffer
		c, err := serve(t, echo(flinktest.NewReplay(entries, flinktest.ReplayOptions{Now: clock.Now})), clock, change).
			Capture(context.Background(), flinkapi.CaptureOptions{Once: true, Record: func(e flinkapi.Entry) { flinkapi.WriteEntry(&recorded, e) }})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all, _ := json.Marshal(c)
		for where, text := range map[string]string{"capture": string(all), "recording": recorded.String()} {
			if strings.Contains(text, "secret") || strings.Contains(text, "YW5u") || !strings.Contains(text, "denied: ") {
				t.Errorf("%s: the %s shows the secret, or nothing of the error", name, where)
			}
		}
	}
}

// One endpoint that a proxy blocks does not end the reading; a lost cluster does.
func TestAnEndpointThatHangsUpLeavesTheRest(t *testing.T) {
	entries := load(t, "healthy-2.3.0")
	clock := flinktest.NewClock(entries[0].T)
	h := flinktest.WithFaults(flinktest.NewReplay(entries, flinktest.ReplayOptions{Now: clock.Now}), flinktest.Fault{Match: "/taskmanagers", Hangup: true})
	c, err := serve(t, h, clock, nil).Capture(context.Background(), flinkapi.CaptureOptions{})
	if err != nil || len(c.Jobs) != 1 || len(c.Jobs[0].Samples) != 2 || len(c.Missing) != 1 {
		t.Errorf("%+v, %v", c, err)
	}
}
