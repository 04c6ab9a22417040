package advise

import (
	"strings"
	"testing"

	"tidemark/kafkastats/measure"
	"tidemark/kafkastats/record"
)

// A share without % is refused: 0.1 may mean 10% or 0.1%.
func TestATargetNeedsItsSign(t *testing.T) {
	for in, want := range map[string]Target{"0.1%": {1, 1000, "0.1%"}, "0": {0, 1, "0"}, "p99.9": {1, 1000, "p99.9"}, "P99.9%": {1, 1000, "P99.9%"}, "2 %": {1, 50, "2 %"}} {
		if got, err := ParseTarget(in); err != nil || got != want {
			t.Errorf("%q: %+v %v, want %+v", in, got, err, want)
		}
	}
	for in, want := range map[string]string{
		"0.1":  `add the percent sign: write 10% or 0.1%; or a percentile of disorder such as p99.9`,
		"px":   `write a percentile such as p99.9`,
		"100%": `it must be below 100%`,
	} {
		if got, err := ParseTarget(in); err == nil || err.Error() != want {
			t.Errorf("%q: %+v %v, want %s", in, got, err, want)
		}
	}
}

func TestAConversionFitsItsUnit(t *testing.T) {
	var points []record.Point
	for i := range int64(2000) {
		points = append(points, record.Point{Offset: i, Arrival: epoch + i*1000 + 850, Event: epoch + i*1000, Type: record.AppendTime, First: i == 0})
	}
	for unit, want := range map[string]string{"s": "TO_TIMESTAMP_LTZ(field, 0)", "us": "TO_TIMESTAMP_LTZ(field / 1000, 3)", "ns": "TO_TIMESTAMP_LTZ(field / 1000000, 3)", "text": "TO_TIMESTAMP(field, pattern)"} {
		r := Recommend(measured(measure.Options{}, points), Options{Target: Target{1, 1000, "0.1%"}, EventTime: EventTime{Field: "ts", Unit: unit, Detected: true}})
		found := false
		for _, f := range r.Findings {
			found = found || f.Cause == CauseUnitConverted && strings.Contains(f.Fix.Text, want)
		}
		if !found {
			t.Errorf("%s: no %q in %+v", unit, want, r.Findings)
		}
	}
}
