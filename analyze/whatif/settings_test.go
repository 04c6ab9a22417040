package whatif

import (
	"strings"
	"testing"

	"tidemark/analyze/crosscheck"
	"tidemark/analyze/model"
	"tidemark/internal/jobtest"
)

// A source whose name is cut in text is found by its full name.
func TestALongNameIsFound(t *testing.T) {
	long := "Trades: " + strings.Repeat("fast and slow, ", 4) // Flink itself cuts above 80 characters
	long = strings.TrimSuffix(long, ", ")
	j := jobtest.New("2.1.0").Source(long, 2000).Split(long, 0, "trades-0", 1000, 2000).Offset(long, 0, "trades", 0, 10, 20).Build()
	if got := crosscheck.CrosscheckSources([]*model.Job{j}); len(got) != 1 || got[0].Name != long {
		t.Fatalf("sources %+v", got)
	}
	set, err := ParseSettings("set", []string{long + ".delay=2s"})
	if err != nil || set[0].Column != "Trades" {
		t.Fatal(set, err)
	}
	if set = resolve(j, set); set[0].Column != "" || set[0].Of != long {
		t.Errorf("setting %+v", set[0])
	}
	x := &crosscheck.Crosscheck{Jobs: []*model.Job{j}, Sources: []*crosscheck.CrossSource{{Vertex: j.Sources()[0]}}}
	if f, _, _, err := (&base{cross: x}).inForce().find(j, set[0]); err != nil || f == nil || f.name != long {
		t.Errorf("%+v, %v", f, err)
	}
}
