package cmd

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tidemark/internal/cases"
	"tidemark/kafkastats/advise"
)

func TestSegmentsSayHowTheyWereChosenAndPrimed(t *testing.T) {
	t.Parallel()
	cases.Slow(t)
	delay := disorders()["uniform"]
	addr := brokerWith(t, [][]planted{plant(3_000, 3, delay), plant(3_000, 4, delay)})
	one := advise.Segment{Primed: map[string]int{"start": 2}}
	for name, v := range map[string]struct {
		args []string
		want advise.Sampling
	}{
		"all of it":    {[]string{"--field", "event_time"}, advise.Sampling{Planned: 1, Segments: []advise.Segment{one}}},
		"by time":      {[]string{"--field", "event_time", "--segments", "2"}, advise.Sampling{By: "time", Planned: 2, Segments: []advise.Segment{one, {Primed: map[string]int{"pre-roll": 2}}}}},
		"Kafka's time": {[]string{"--format", "timestamp", "--segments", "2"}, advise.Sampling{By: "time", Planned: 2, Segments: []advise.Segment{one, {Primed: map[string]int{"lookup": 2}}}}},
		"the last ones": {[]string{"--field", "event_time", "--last", "1000", "--segments", "2"}, advise.Sampling{By: "offset", Note: "the last records were requested, which are chosen by offset", Planned: 2,
			Segments: []advise.Segment{{Primed: map[string]int{"pre-roll": 2}}, {Primed: map[string]int{"pre-roll": 2}}}}},
	} {
		t.Run(name, func(t *testing.T) {
			args := append([]string{"orders", "--brokers", addr}, v.args...)
			out, e, err := run(t, newRecommend, "json", "", args...)
			if code(err) > 1 {
				t.Fatal(err, e)
			}
			r := decodeRecommendation(t, out)
			if diff := cmp.Diff(&v.want, r.Sampling); diff != "" {
				t.Error(diff)
			}
			if got := strings.Contains(strings.Join(r.NotSeen, "\n"), "between the 2 segments"); got != (v.want.By != "") {
				t.Errorf("not seen: %v", r.NotSeen)
			}
			table, _, _ := run(t, newRecommend, "table", "", args...)
			if !strings.Contains(strings.Join(strings.Fields(table), " "), v.want.String()) {
				t.Errorf("the table does not say %q: %s", v.want.String(), table)
			}
		})
	}
}

func TestAsDeployedFromAFile(t *testing.T) {
	delay := disorders()["exponential"]
	file := kcatFile([][]planted{plant(4000, 1, delay), plant(4000, 2, delay)})
	for _, v := range []struct {
		emit  string
		known bool
	}{{"200ms", true}, {"0s", false}} {
		out, e, err := run(t, newRecommend, "json", file, "--records", "-", "--field", "event_time", "--emit-interval", v.emit)
		if code(err) > 1 {
			t.Fatal(err, e)
		}
		a := decodeRecommendation(t, out).Advice
		if (a.AsDeployed != nil) != v.known || v.known && a.AsDeployed.Late > a.Late.Fraction {
			t.Errorf("every %s: %+v beside %+v", v.emit, a.AsDeployed, a.Late)
		}
	}
	if _, _, err := run(t, newRecommend, "json", file, "--records", "-", "--field", "event_time", "--emit-interval", "-1s"); code(err) != 2 {
		t.Errorf("a negative interval gives %v", err)
	}
}
