package words

import "testing"

func TestGaugeText(t *testing.T) {
	for _, c := range []struct{ metric, value, want string }{
		{"currentOffset", "-1 -> -1", "-1, unchanged (no record read)"},
		{"currentOffset", "12 -> 40", "12 -> 40"},
		{"sourceIdleTime", "110016 -> 127866", "110016 -> 127866 ms"},
		{"sourceIdleTime", "286481 ms", "286481 ms"},
		{"watermarkAlignmentDrift", "-5 -> -5", "-5 ms, unchanged"},
		{"watermarkLag", "32000", "32000 ms"},
		{"watermarkLag", "absent (registered with the first watermark)", "absent (registered with the first watermark)"},
		{"numRecordsOut", "1 -> 2", "1 -> 2"},
		{"currentOutputWatermark", "-9223372036854775808", "none (never emitted)"},
		{"x", "", "nothing"},
	} {
		if got := gaugeText(c.metric, c.value); got != c.want {
			t.Errorf("%s %q: %q, want %q", c.metric, c.value, got, c.want)
		}
	}
}
