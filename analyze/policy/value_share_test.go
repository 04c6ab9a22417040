package policy

import "testing"

// A plain number is a share of 1, and messages show it as the percentage that was understood.
func TestAShareIsShownAsAPercentage(t *testing.T) {
	for in, want := range map[string]string{"0.1": "10%", "0.001": "0.1%", "0": "0%", "1": "100%", "0.07": "7%", "0.1%": "0.1%"} {
		p := parsed(t, "version: 1\njobs:\n  - {name: orders, owner: x, late: {share: "+in+"}}\n")
		if got := p.Jobs[0].Late.Share.Text; got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}
