package prom

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tidemark/internal/golden"
)

// Each alert has its page, and each page its alert.
func TestRunbooks(t *testing.T) {
	pages, err := runbooks()
	if err != nil || len(pages) != len(alerts)+1 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	const dir = "../../docs/runbooks"
	if golden.Renew() {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, page := range pages {
		if strings.Contains(string(page), "{{") {
			t.Errorf("%s holds a template", name)
		}
		golden.File(t, filepath.Join(dir, name), page)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if pages[f.Name()] == nil {
			t.Errorf("%s is no page of an alert", f.Name())
		}
	}
}

// The command of an alert has the address, the job and the moment of its start.
func TestAlertsCarryTheCommandAsOfTheirStart(t *testing.T) {
	o := DefaultAlertOptions()
	o.Prometheus, o.Runbooks = "http://prometheus:9090", "https://docs.example/runbooks/"
	for _, a := range alerts {
		r, err := a.rule(o)
		if err != nil {
			t.Fatal(err)
		}
		command := r.Annotations["at_start"]
		if !strings.HasPrefix(command, r.Annotations["next"]+" --prometheus http://prometheus:9090 --at {{ with ") || !strings.Contains(command, "alertname='"+a.name+"'") {
			t.Errorf("%s: %s", a.name, command)
		}
		if r.Annotations["runbook_url"] != "https://docs.example/runbooks/"+a.name+".md" {
			t.Errorf("%s: %s", a.name, r.Annotations["runbook_url"])
		}
	}
	r, err := alerts[0].rule(DefaultAlertOptions())
	if err != nil || r.Annotations["runbook_url"] != "" || !strings.Contains(r.Annotations["at_start"], " --prometheus $TIDEMARK_PROMETHEUS ") {
		t.Errorf("without addresses: %v %v", r.Annotations, err)
	}
}
