//go:build slow

package flinkapi_test

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"testing"

	"tidemark/flinkapi"
)

// A hundred MiB have to be read.
func TestAnEndlessAnswerIsNotFlink(t *testing.T) {
	block := bytes.Repeat([]byte(" "), 1<<20)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	})
	_, err := serve(t, h, nil, nil).Jobs(context.Background())
	if !flinkapi.IsNotFlink(err) || !strings.Contains(err.Error(), "larger than 128 MiB") {
		t.Error(err)
	}
}
