//go:build lab

package prom

import "testing"

func TestPromtoolAcceptsLimitsOfSeveralSets(t *testing.T) {
	text, _ := twoLimits(t)
	path := writeFile(t, t.TempDir(), "limits.yml", text)
	if out, err := promtool(t, nil, "check", "rules", "--lint=all", "--lint-fatal", path); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
