package policy

import (
	"strings"
	"testing"
)

func TestAShareNeedsItsSign(t *testing.T) {
	for in, want := range map[string]float64{"0.1%": 0.001, "0": 0, "100%": 1, "0.07 %": 0.0007} {
		p := parsed(t, "version: 1\njobs:\n  - {name: orders, owner: x, late: {share: "+in+"}}\n")
		if got := p.Jobs[0].Late.Share.Value; got != want {
			t.Errorf("%s: %g, want %g", in, got, want)
		}
	}
	_, err := Parse("p.yaml", []byte("version: 1\njobs:\n  - {name: orders, owner: x, late: {share: 0.1}}\n"))
	if err == nil || !strings.Contains(err.Error(), `it is "0.1"; add the percent sign: write 10% or 0.1%`) {
		t.Error(err)
	}
}
