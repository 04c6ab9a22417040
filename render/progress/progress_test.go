package progress

import (
	"strings"
	"testing"
	"time"

	"tidemark/flinkapi"
)

func steps(terminal bool) string {
	var said strings.Builder
	at := time.UnixMilli(0)
	l := New(&said, terminal, 0, func() time.Time { at = at.Add(time.Second); return at })
	l.Show(flinkapi.Progress{Step: "reading orders"})
	l.Show(flinkapi.Progress{Step: "waiting for the next metric fetch", Left: 12_340 * time.Millisecond})
	l.Show(flinkapi.Progress{Step: "waiting for the next metric fetch", Left: 5 * time.Second})
	l.Done()
	return said.String()
}

func TestALineAStepWithoutTerminal(t *testing.T) {
	if got := steps(false); got != "tidemark: reading orders\ntidemark: waiting for the next metric fetch, 12.3 s left\n" {
		t.Errorf("got %q", got)
	}
}

func TestTheLineIsRewrittenOnATerminal(t *testing.T) {
	got := steps(true)
	if strings.Contains(got, "\n") || !strings.HasSuffix(got, "\r\x1b[K") || !strings.Contains(got, "5 s left") {
		t.Errorf("got %q", got)
	}
}
