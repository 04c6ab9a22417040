package gate

import (
	"testing"
	"time"

	"tidemark/analyze/policy"
	"tidemark/kafkastats/recommend"
)

// A measurement takes the keys of a policy, and a mistake names the key as the policy writes it.
func TestAPolicyFillsAMeasurement(t *testing.T) {
	for key, want := range map[string]string{
		"since: 7d":                      "",
		"from: \"2026-11-30T08:00:00Z\"": "",
		"from: noon":                     "p.yaml:3:100: measured: from is \"noon\": write a time such as 2026-01-31T22:00:00Z, or how long ago, such as 7d",
		"to: noon":                       "p.yaml:3:98: measured: to is \"noon\": write a time such as 2026-01-31T22:00:00Z, or how long ago, such as 7d",
		"schema: none.avsc":              "p.yaml:3:102: measured: schema cannot be read: open none.avsc: no such file or directory",
		"since: 7d, from: noon":          "p.yaml:3:111: measured: from and since say the same: keep one",
	} {
		p, err := policy.Parse("p.yaml", []byte("version: 1\njobs:\n  - {name: o, owner: x, delay: {covers: p99, measured: {topic: o, brokers: [h:1], field: ts, "+key+"}}}\n"))
		if err != nil {
			t.Fatal(err)
		}
		m := p.Jobs[0].Delay.Measured
		req := recommend.Defaults()
		req.Topic = "o"
		_, places, err := fill(&req, policy.Settings(m), nil)
		if err == nil {
			err = req.Check()
		}
		got := ""
		if err != nil {
			got = places.mistake("measured", err, m.At).Error()
		}
		if got != want {
			t.Errorf("%s: %q\nwant %q", key, got, want)
		}
		if ago, _ := time.ParseDuration(req.Part.Since); key == "since: 7d" && ago != 7*24*time.Hour {
			t.Errorf("since is %q", req.Part.Since)
		}
	}
}
