package advise

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tidemark/analyze/catalog"
	"tidemark/kafkastats/decode"
	"tidemark/kafkastats/eventtime"
	"tidemark/kafkastats/measure"
	"tidemark/kafkastats/record"
)

// decoded reads numbers in a unit as the command does, arrivals 850 ms after each.
func decoded(t *testing.T, unit eventtime.Unit, perSecond int64, n int64) ([]record.Point, *decode.Extractor) {
	t.Helper()
	e, err := decode.New(context.Background(), decode.Options{Format: decode.Raw, Unit: unit})
	if err != nil {
		t.Fatal(err)
	}
	var out []record.Point
	for i := range n {
		raw := record.Raw{Offset: i, Timestamp: epoch + i*1000 + 850, Type: record.AppendTime, Value: fmt.Append(nil, (epoch/1000+i)*perSecond), First: i == 0}
		p, err := e.Point(&raw)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out, e
}

func TestVector12Units(t *testing.T) {
	for _, v := range []struct {
		unit      string
		perSecond int64
		wrong     int64  // transport delay of the first record when its number is taken for ms
		shown     string // the date that number would be
		fix       string
	}{
		{"s", 1, 1_794_204_000_850, "1970-01-21T18:53:20.000Z", "multiply by 1000"},
		{"us", 1_000_000, 850 + epoch - 1_796_000_000_000_000, "year 58882", "divide by 1000"},
		{"ns", 1_000_000_000, 850 + epoch - 1_796_000_000_000_000_000, "year 56914944", "divide by 1000000"},
	} {
		t.Run(v.unit, func(t *testing.T) {
			// Read as ms.
			one, _ := decoded(t, eventtime.Milli, v.perSecond, 1)
			if got := one[0].Arrival - one[0].Event; got != v.wrong {
				t.Errorf("transport delay as ms %d, want %d", got, v.wrong)
			}
			r := advised(t, "1%", one)
			i := slices.IndexFunc(r.Findings, func(f catalog.Finding) bool { return f.Cause == CauseEpochUnit })
			if i < 0 || r.Advice.Verdict != FixTimestamps {
				t.Fatalf("verdict %s, findings %+v", r.Advice.Verdict, r.Findings)
			}
			if f := r.Findings[i]; !strings.Contains(f.Summary, v.shown) || !strings.Contains(f.Summary, "the unit is "+v.unit) || !strings.HasPrefix(f.Fix.Text, v.fix) {
				t.Errorf("%q, fix %+v: want %s and %s", f.Summary, f.Fix, v.shown, v.fix)
			}
			many, _ := decoded(t, eventtime.Milli, v.perSecond, 500)
			if r := advised(t, "1%", many); r.Advice.Verdict != FixTimestamps || !hasCause(r.Findings, CauseEpochUnit) {
				t.Errorf("500 records: verdict %s", r.Advice.Verdict)
			}
			// The unit found by magnitude, and stated.
			ps, e := decoded(t, eventtime.Auto, v.perSecond, 500)
			unit, _, _, detected := e.Seen()
			r = Recommend(measured(measure.Options{}, ps), Options{Target: target(t, "1%"), EventTime: EventTime{Unit: unit, Detected: detected}})
			if unit != v.unit || !detected || hasCause(r.Findings, CauseEpochUnit) || !hasCause(r.Findings, CauseUnitConverted) {
				t.Errorf("unit %q, detected %v, findings %+v", unit, detected, r.Findings)
			}
			if r.Transport.Min != 850 || r.Transport.Max != 850 || r.Transport.P50 != 850 || r.Advice.DataStreamMs != 0 {
				t.Errorf("corrected transport %+v, delay %d; want 850 and 0", r.Transport, r.Advice.DataStreamMs)
			}
		})
	}
}

func TestVector13ZoneOfSomeProducers(t *testing.T) {
	const n, hour = 100_000, 3_600_000
	var wrong, right [][2]int64
	for i := range int64(n) {
		at := epoch + i*10
		event := at
		if i%10 >= 7 {
			event += hour
		}
		wrong, right = append(wrong, [2]int64{at, event}), append(right, [2]int64{at, at})
	}
	m := measured(measure.Options{}, stream(0, wrong))
	asIs := m.Total().DisorderAsIs()
	if ds, _ := asIs.SmallestWithAbove(n / 200); ds != 3_599_990 {
		t.Errorf("as it is the delay for 0.5 %% would be %d, want 3599990", ds)
	}
	// 70 % of the records, but for the seven before the first with the wrong zone.
	if late, brute := asIs.Above(0), lateOf(stream(0, wrong), 0, false); late != n*7/10-7 || brute != late {
		t.Errorf("as it is %d late at 0, brute force %d, want %d", late, brute, n*7/10-7)
	}
	r := Recommend(m, Options{Target: target(t, "0.5%")})
	if r.Advice.Verdict != FixTimestamps || r.Advice.DataStreamMs != 0 || r.Counters.Future != n*3/10 {
		t.Errorf("verdict %s, delay %d, %d in the future", r.Advice.Verdict, r.Advice.DataStreamMs, r.Counters.Future)
	}
	if r.Advice.AsIsLate == nil || *r.Advice.AsIsLate != float64(n*7/10-7)/n {
		t.Errorf("share late as it is %v", r.Advice.AsIsLate)
	}
	i := slices.IndexFunc(r.Findings, func(f catalog.Finding) bool { return f.Cause == CauseZoneShift })
	if i < 0 {
		t.Fatalf("no zone shift in %+v", r.Findings)
	}
	if want := "30 % of records are 1 h ahead the others (+60 min): their producers send local time of UTC+01:00 as UTC"; r.Findings[i].Summary != want {
		t.Errorf("summary %q", r.Findings[i].Summary)
	}
	corrected := advised(t, "0.5%", stream(0, right))
	if corrected.Advice.DataStreamMs != 0 || corrected.Advice.Late.Records != 0 || hasCause(corrected.Findings, CauseZoneShift) || corrected.Counters.Future != 0 {
		t.Errorf("corrected: delay %d, findings %+v", corrected.Advice.DataStreamMs, corrected.Findings)
	}
}
