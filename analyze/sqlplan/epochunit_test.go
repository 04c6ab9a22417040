package sqlplan

import (
	"fmt"
	"testing"
)

// A number is read in the unit of its call, factors counted, and a name that says another is reported.
func TestEpochUnit(t *testing.T) {
	for c, want := range map[[2]string]string{
		{"ts_ms", "TO_TIMESTAMP_LTZ(ts_ms, 0)"}:                                 "ts_ms s TM616",
		{"ts_ms", "TO_TIMESTAMP_LTZ(ts_ms, 3)"}:                                 "ts_ms ms",
		{"ts_ms", "TO_TIMESTAMP_LTZ(ts_ms / 1000, 0)"}:                          "ts_ms ms",
		{"tsMillis", "TO_TIMESTAMP_LTZ(CAST(tsMillis AS BIGINT), 0)"}:           "tsMillis s TM616",
		{"event_sec", "TO_TIMESTAMP_LTZ(event_sec, 3)"}:                         "event_sec ms TM616",
		{"event_sec", "TO_TIMESTAMP_LTZ(event_sec * 1000, 3)"}:                  "event_sec s",
		{"created_us", "TO_TIMESTAMP_LTZ(created_us, 3)"}:                       "created_us ms TM616",
		{"created_us", "TO_TIMESTAMP_LTZ((created_us / 1000), 3)"}:              "created_us us",
		{"created_ns", "TO_TIMESTAMP_LTZ(created_ns / 1000000, 3)"}:             "created_ns ns",
		{"epoch_seconds", "TO_TIMESTAMP(FROM_UNIXTIME(epoch_seconds))"}:         "epoch_seconds s",
		{"ts_ms", "TO_TIMESTAMP(FROM_UNIXTIME(ts_ms))"}:                         "ts_ms s TM616",
		{"ts_ms", "TO_TIMESTAMP(FROM_UNIXTIME(ts_ms / 1000, 'yyyy-MM-dd HH'))"}: "ts_ms ms",
		{"event_time", "TO_TIMESTAMP_LTZ(event_time, 0)"}:                       "event_time s",
		{"items", "TO_TIMESTAMP_LTZ(items, 3)"}:                                 "items ms",
		{"s", "TO_TIMESTAMP_LTZ(s, 3)"}:                                         "s ms",
		{"ts_ms", "TO_TIMESTAMP_LTZ(my_udf(ts_ms), 0)"}:                         " ",
		{"ts_ms", "CAST(ts_ms AS TIMESTAMP_LTZ(3))"}:                            " ",
	} {
		a := ReadDDL("x.sql", "CREATE TABLE t ("+c[0]+" BIGINT, rt AS "+c[1]+", WATERMARK FOR rt AS rt - INTERVAL '5' SECOND)"+plainWith)
		got := a.Sources[0].EpochColumn + " " + a.Sources[0].EpochUnit
		for _, f := range a.Findings {
			if f.Code == "TM616" {
				got += fmt.Sprint(" ", f.Code)
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", c[1], got, want)
		}
	}
	a := ReadDDL("x.sql", "CREATE TABLE t (p ROW<ts_ms BIGINT>, secs AS p.ts_ms / 1000, raw AS TO_TIMESTAMP_LTZ(secs, 3), rt AS raw, WATERMARK FOR rt AS rt)"+plainWith)
	if s := a.Sources[0]; s.EpochColumn != "p.ts_ms" || s.EpochUnit != "us" {
		t.Errorf("through computed columns: %q %q", s.EpochColumn, s.EpochUnit)
	}
}
