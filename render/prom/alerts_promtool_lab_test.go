//go:build lab

package prom

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"tidemark/analyze"
	"tidemark/render/internal/rendertest"
)

// promtool runs Prometheus' own tool, which must be installed.
func promtool(t *testing.T, stdin []byte, args ...string) (string, error) {
	t.Helper()
	path, err := exec.LookPath("promtool")
	if err != nil {
		t.Fatal("promtool is not installed: apt-get install -y --no-install-recommends prometheus")
	}
	c := exec.Command(path, args...)
	c.Stdin = bytes.NewReader(stdin)
	out, err := c.CombinedOutput()
	return string(out), err
}

func rulesText(t *testing.T, o AlertOptions) string {
	t.Helper()
	var b bytes.Buffer
	if err := Alerts(&b, AlertRules, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func writeFile(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestPromtoolAcceptsTheRules(t *testing.T) {
	dir := t.TempDir()
	other := DefaultAlertOptions()
	other.Jobs, other.Exclude, other.By, other.LateShare = `orders|"pay\s.*`, `.*\\-dev`, []string{"namespace", "cluster"}, 0
	for name, o := range map[string]AlertOptions{"default.yml": DefaultAlertOptions(), "other.yml": other} {
		path := writeFile(t, dir, name, rulesText(t, o))
		if out, err := promtool(t, nil, "check", "rules", "--lint=all", "--lint-fatal", path); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

func TestPromtoolFiresTheRightAlerts(t *testing.T) {
	dir := t.TempDir()
	moved := strings.ReplaceAll(rulesText(t, DefaultAlertOptions()), "time()", "(time() + 1796000000)")
	rules := writeFile(t, dir, "rules.yml", moved)
	fired := map[string]bool{}
	for _, c := range promScenarios() {
		for _, names := range c.firing {
			for _, n := range names {
				fired[n] = true
			}
		}
		t.Run(c.name, func(t *testing.T) {
			path := writeFile(t, t.TempDir(), "test.yml", c.yaml(rules))
			if out, err := promtool(t, nil, "test", "rules", path); err != nil {
				t.Errorf("%v\n%.3000s", err, out)
			}
		})
	}
	for _, a := range alerts {
		if !fired[a.name] {
			t.Errorf("no scenario makes %s fire", a.name)
		}
	}
}

func TestPromtoolAcceptsTheDashboard(t *testing.T) {
	var f ruleFile
	group := ruleGroup{Name: "panels"}
	for i, p := range parsedDashboard(t, nil).Panels {
		// Grafana puts the chosen jobs in place of the variable.
		expr := strings.ReplaceAll(p.Targets[0].Expr, "$job", "orders|payments")
		group.Rules = append(group.Rules, rule{Record: fmt.Sprintf("panel:%d", i), Expr: expr})
	}
	f.Groups = []ruleGroup{group}
	text, err := yaml.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := promtool(t, nil, "check", "rules", writeFile(t, t.TempDir(), "panels.yml", string(text))); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestPromtoolAcceptsTheMetrics(t *testing.T) {
	for _, name := range append([]string{"plain"}, rendertest.Names...) {
		for _, r := range []*analyze.Report{richReport(), hostileReport(name), nil} {
			var b bytes.Buffer
			e := Exposition{Report: r, Up: true, LastCapture: time.Unix(1_796_000_000, 0), CaptureTime: time.Second, Captures: 2, Failures: 1, Version: "v1"}
			if err := Metrics(&b, e); err != nil {
				t.Fatal(err)
			}
			if out, err := promtool(t, b.Bytes(), "check", "metrics"); err != nil || out != "" {
				t.Errorf("%.30q: %v\n%s", name, err, out)
			}
		}
	}
}
