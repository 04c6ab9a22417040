package advise

import (
	"strings"
	"testing"

	"tidemark/internal/units"
	"tidemark/kafkastats/measure"
)

func TestReviewSaysEveryNumberWithItsDenominator(t *testing.T) {
	r := Recommend(measured(measure.Options{Windows: []int64{60_000}}, bursts(30_000)), Options{Target: target(t, "0.05%"), Topic: "orders", SLAMs: 60_000, WindowMs: 60_000, EmitMs: 200})
	for text, wants := range map[string][]string{
		r.Review.Summary: {"Watermark delay " + units.Exact(r.Advice.RoundedMs), units.Java(r.Advice.RoundedMs), units.Interval(r.Advice.RoundedSQLMs), " of 30,000 records would have been late (", "95 % CI ",
			"separate episode", "in 1 partition", "30,000 records of 1 partition, 2026-11-30 00:00 to 2026-12-01 23:59 UTC (2 d)", "In 1 min windows "},
		r.Review.Latency:                         {"(delay) + ", "(watermark interval) = " + units.Duration(*r.Advice.LatencyP99Ms), "The target of 1 min is met."},
		r.Review.NotSeen:                         {"covers 30,000 records", "any day but Mondays and Tuesdays", "records still on a device"},
		strings.Join(r.Review.WouldChange, "\n"): {"a guarantee instead of an estimate"},
	} {
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in: %s", want, text)
			}
		}
	}
}

func TestReviewOfARefusalRecommendsNothing(t *testing.T) {
	points := stream(0, [][2]int64{{epoch, epoch}, {epoch + 1000, epoch + 1000 + 365*86_400_000}, {epoch + 2000, epoch + 2000}})
	r := advised(t, "0", points)
	if !r.Advice.Verdict.Refuses() || !strings.HasPrefix(r.Review.Summary, "No delay is recommended: ") {
		t.Errorf("%s: %s", r.Advice.Verdict, r.Review.Summary)
	}
}

func TestABadHourIsNamedWithWhatItLoses(t *testing.T) {
	// Twenty records a second for a day; in hour 2 one in a hundred is half an hour late.
	var pairs [][2]int64
	start := epoch / 86_400_000 * 86_400_000
	for i := range int64(240_000) {
		at := start + i*360
		late := int64(0)
		if i%200 == 0 {
			late = 800
			if at/measure.HourMs%24 == 2 {
				late = 1_800_000
			}
		}
		pairs = append(pairs, [2]int64{at, at - late})
	}
	r := advised(t, "0.4%", stream(0, pairs))
	text := strings.Join(r.Review.WouldChange, "\n")
	for _, want := range []string{"except in 1 hour", "02:00 to 03:00 UTC: that hour needs 30 min (4.17 % of all records)", "of its 10,000 records"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
}

func TestUnseenTimes(t *testing.T) {
	var r Recommendation
	for day := 1; day <= 5; day++ {
		for hour := 6; hour < 22; hour++ {
			r.Week = append(r.Week, WeekHour{Day: day, Hour: hour, Records: 1})
		}
	}
	if got := strings.Join(unseenTimes(r), "; "); got != "Saturdays, Sundays; hours of the day without a record (UTC): 00:00 to 06:00, 22:00 to 24:00" {
		t.Error(got)
	}
	if got := unseenTimes(Recommendation{}); got != nil {
		t.Error(got)
	}
}

func TestCountsWithoutArrivalHaveNoHours(t *testing.T) {
	counts := measure.NewCounts()
	counts.Own.AddN(5, 99)
	counts.Records = 100
	r := Recommend(measure.FromCounts(map[int32]*measure.Counts{0: counts}, measure.Blocks{}), Options{Target: target(t, "1%")})
	if len(r.Hours) != 0 || len(r.Week) != 0 || r.Window.From != "" || r.Records != 100 {
		t.Errorf("hours %v, window %v", r.Hours, r.Window)
	}
}

// Counts that came without their steps are answered by their buckets, not by nothing.
func TestCountsWithoutStepsHaveTheirLateRecords(t *testing.T) {
	counts := measure.NewCounts()
	counts.Records = 40_001
	h := counts.Own
	for i := range int64(40_000) {
		h.Add(i*i%9000 - 4000)
	}
	r := Recommend(measure.FromCounts(map[int32]*measure.Counts{0: counts}, measure.Blocks{}), Options{Target: target(t, "0.1%")})
	for _, p := range r.Curve {
		if p.LateN != h.Above(p.DelayMs) {
			t.Errorf("%d ms: %d late, counted %d", p.DelayMs, p.LateN, h.Above(p.DelayMs))
		}
	}
	if r.Advice.Late.Records != h.Above(r.Advice.RoundedMs) || r.Curve[0].LateN == 0 {
		t.Errorf("%+v", r.Advice.Late)
	}
}
