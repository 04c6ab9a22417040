package recommend

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// pausing are two partitions, of which the second falls silent now and then and wakes up with old records.
func pausing(t *testing.T) string {
	t.Helper()
	type row struct{ partition, arrival, event int64 }
	var rows []row
	r := rand.New(rand.NewPCG(4, 2))
	for i := range int64(20_000) {
		at := began + 50*i
		rows = append(rows, row{0, at + 20 + int64(200*r.ExpFloat64()), at})
		switch {
		case at/20_000%3 == 0: // silent for 20 s in 60
		case at/20_000%3 == 1 && at%20_000 < 300:
			rows = append(rows, row{1, at + 20, at - 3000}) // awake, and behind
		default:
			rows = append(rows, row{1, at + 20 + int64(200*r.ExpFloat64()), at})
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return int(a.arrival - b.arrival) })
	var b strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&b, "%d,%d,%d\n", r.partition, r.arrival, r.event)
	}
	path := filepath.Join(t.TempDir(), "pausing.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// With an idle timeout what is late, what a replay finds late and what the job finds late are of one model:
// the replay agrees to the record, and the job with its periodic watermarks never finds more.
func TestIdlenessIsInEveryCount(t *testing.T) {
	path := pausing(t)
	without := recommended(t, path, nil)
	with := recommended(t, path, func(r *Request) { r.Idle = 5 * time.Second; r.Demand.Late = "1%" })
	a := with.Advice
	if a.Verified == nil || a.Verified.LateRecords != a.Late.Records || a.Verified.Predicted != a.Late.Records {
		t.Fatalf("late %d, %+v", a.Late.Records, a.Verified)
	}
	if d := a.AsDeployed; d == nil || d.Late > d.OnEvent || d.OnEvent > a.Late.Fraction {
		t.Errorf("%+v beside %v", a.AsDeployed, a.Late.Fraction)
	}
	same := recommended(t, path, func(r *Request) { r.Idle = 5 * time.Second; r.Demand.Late = "3%" }).Advice
	if same.IdleLate == nil || *same.IdleLate == 0 || without.Advice.IdleLate != nil {
		t.Errorf("late by idleness: %v", same.IdleLate)
	}
	// A timeout is pasted where it was asked about, and nowhere else.
	if strings.Contains(without.Code.DataStream, "withIdleness") || !strings.Contains(with.Code.DataStream, "withIdleness(Duration.ofSeconds(5))") {
		t.Errorf("%s\n%s", without.Code.DataStream, with.Code.DataStream)
	}
}
