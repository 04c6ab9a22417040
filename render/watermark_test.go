package render

import (
	"math"
	"testing"

	"tidemark/flinkapi"
	"tidemark/render/safe"
	"tidemark/render/words"
)

func TestLagText(t *testing.T) {
	for _, c := range []struct {
		ms   *int64
		want string
	}{
		{nil, "-"}, {ptr(int64(0)), "0 ms"}, {ptr(int64(2_100)), "2.1 s"}, {ptr(int64(-400)), "-400 ms"}, {ptr(int64(-5_000)), "5 s ahead"},
		{ptr(int64(math.MinInt64)), "292,271,023 y ahead"},
	} {
		if got := lagText(c.ms); got != c.want {
			t.Errorf("lagText(%v) = %q, want %q", c.ms, got, c.want)
		}
		if got := lagText(c.ms); c.ms != nil && *c.ms > -1e15 && safe.Width(got) > 14 {
			t.Errorf("%q is wider than its column", got)
		}
	}
}

func TestWatermarkText(t *testing.T) {
	now := int64(fixtureNow)
	for _, c := range []struct {
		w    flinkapi.Watermark
		want string
	}{
		{flinkapi.NoWatermark(), "none (never emitted)"},
		{flinkapi.EndWatermark(), "end of input"},
		{flinkapi.AbsentWatermark(), "no such metric"},
		{flinkapi.FailedWatermark(), "could not be read"},
		{flinkapi.Watermark{}, "no such metric"},
		{flinkapi.KnownWatermark(now), "04:01:34.937"},
		{flinkapi.KnownWatermark(now - 86_400_000), "2026-11-29 04:01:34"},
		{flinkapi.KnownWatermark(0), "1970-01-01 00:00:00"},
		{flinkapi.KnownWatermark(now * 1000), "year 58883"},
		{flinkapi.KnownWatermark(math.MinInt64 + 1), "year -292275055"},
	} {
		got := watermarkText(c.w, now)
		if got != c.want {
			t.Errorf("%v: %q, want %q", c.w, got, c.want)
		}
		if safe.Width(got) > 20 {
			t.Errorf("%q is wider than its column", got)
		}
	}
	if got := watermarkText(flinkapi.KnownWatermark(now), 0); got != "2026-11-30 04:01:34" {
		t.Errorf("without a clock: %q", got)
	}
}

func TestClock(t *testing.T) {
	if got := words.Clock(fixtureNow); got != "2026-11-30 04:01:34 UTC" {
		t.Errorf("got %q", got)
	}
	if got := words.Clock(0); got != "at an unknown time" {
		t.Errorf("got %q", got)
	}
}

func TestMovingText(t *testing.T) {
	if movingText(nil) != "?" || movingText(ptr(true)) != "yes" || movingText(ptr(false)) != "no" {
		t.Error("movingText is wrong")
	}
}
