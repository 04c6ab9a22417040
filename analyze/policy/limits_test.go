package policy

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAlertLimitsAreTheStrictestOfAJob(t *testing.T) {
	p := parsed(t, `version: 1
jobs:
  - {name: "*", max-lag: 5m, late: {share: 1%}}
  - {name: "pay-*", max-lag: 10m}
  - {name: orders eu, max-lag: 2m}
  - {name: orders eu, late: {share: 2%}}
  - {name: slow, max-lag: 1h, late: {share: 0.1%}}
  - {name: slow, source: Orders, max-lag: 1s}
  - {table: orders, idleness: {required: true}}
`)
	got, err := AlertLimits([]*Policy{p})
	if err != nil {
		t.Fatal(err)
	}
	want := []Limits{
		{Name: "orders eu", Jobs: "(orders eu|orders_eu)", MaxLagMs: 120_000, LateShare: 0.01, HasShare: true},
		{Name: "slow", Jobs: "slow", Exclude: "(orders eu|orders_eu)", MaxLagMs: 300_000, LateShare: 0.001, HasShare: true},
		{Name: "pay-*", Jobs: "(pay-.*|pay_.*)", Exclude: "(orders eu|orders_eu)|slow", MaxLagMs: 300_000, LateShare: 0.01, HasShare: true},
		{Name: "*", Jobs: ".*", Exclude: "(orders eu|orders_eu)|slow|(pay-.*|pay_.*)", MaxLagMs: 300_000, LateShare: 0.01, HasShare: true},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestAlertLimitsRefuseWhatCannotBeToldApart(t *testing.T) {
	for text, want := range map[string]string{
		`[{name: "a*", max-lag: 1m}, {name: "*b", max-lag: 2m}]`:    `p.yaml:2:42: a job could match "*b" and also "a*" at p.yaml:2:15`,
		`[{name: "a*", max-lag: 1m}, {name: "ab*", max-lag: 2m}]`:   "with different limits",
		`[{name: "/a|b/", max-lag: 1m}, {name: "c*", max-lag: 2m}]`: "with different limits",
		`[{name: "a*", max-lag: 1m}, {name: "*b", max-lag: 1m}]`:    "",
		`[{name: "a*", max-lag: 1m}, {name: "b*", max-lag: 2m}]`:    "",
		`[{name: "a*", max-lag: 1m}, {name: "*", max-lag: 2m}]`:     "",
		`[{name: "a*", max-lag: 1m}, {name: "ab", max-lag: 2m}]`:    "",
		`[{table: "a*", idleness: {required: true}}]`:               "",
	} {
		_, err := AlertLimits([]*Policy{parsed(t, "version: 1\njobs: "+text+"\n")})
		var es Errors
		if want == "" && err != nil || want != "" && (!errors.As(err, &es) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
