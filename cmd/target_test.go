package cmd

import (
	"context"
	"os"
	"strings"
	"testing"

	"tidemark/internal/expect"
)

func TestVerboseLogsRequests(t *testing.T) {
	f := newFake(nil)
	f.verbose = true
	o, err := f.target(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	o.Log("GET /overview\x1b[0m")
	if got := f.err.String(); got != "tidemark: GET /overview\\x1b[0m\n" {
		t.Errorf("got %q", got)
	}
}

func TestContextCommands(t *testing.T) {
	path := expect.File(t, "c.yaml", "current-context: a # now\ncontexts:\n  a: {flink: 'https://u:s3cret@flink', kafka: {brokers: [x:1]}}\n  b: {}\n")
	f := newFake(map[string]string{"TIDEMARK_CONFIG": path})
	for _, args := range [][]string{{"context", "show"}, {"context", "use", "b"}, {"context", "list"}} {
		if got := Main(args, f.env); got != exitClean {
			t.Fatalf("%v: exit %d: %s", args, got, f.err)
		}
	}
	for _, want := range []string{"  context       a\n", "  flink         https://***@flink\n", "  kafka.brokers x:1\n", "  *  b"} {
		if !strings.Contains(f.out.String(), want) {
			t.Errorf("no %q in:\n%s", want, f.out)
		}
	}
	if text, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(text), "current-context: b\n") {
		t.Errorf("%v: %s", err, text)
	}
	if got := Main([]string{"context", "use", "c"}, f.env); got != exitUsage || !strings.Contains(f.err.String(), `no context "c" in`) {
		t.Errorf("exit %d: %s", got, f.err)
	}
}
