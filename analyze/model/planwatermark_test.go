package model

import (
	"strings"
	"testing"
)

// Lines of real plans, 1.17.2 to 2.3.0.
func TestParseDeclared(t *testing.T) {
	for _, c := range []struct {
		text string
		want Declared
	}{
		{"TableSourceScan(table=[[default_catalog, default_database, t1, project=[a, b, t], metadata=[], watermark=[-(t, 10000:INTERVAL SECOND)], watermarkEmitStrategy=[on-periodic]]], fields=[a, b, t])",
			Declared{Expr: "-(t, 10000:INTERVAL SECOND)", DelayMs: 10000, DelayKnown: true, IdleKnown: true}},
		{"TableSourceScan(table=[[default_catalog, default_database, MyTable, watermark=[-(c, 5000:INTERVAL SECOND)], idletimeout=[60000], watermarkEmitStrategy=[on-periodic]]], fields=[a, b, c], hints=[[[OPTIONS options:{scan.watermark.idle-timeout=60s}]]])",
			Declared{Expr: "-(c, 5000:INTERVAL SECOND)", DelayMs: 5000, DelayKnown: true, IdleMs: 60000, IdleKnown: true}},
		{"TableSourceScan(table=[[default_catalog, default_database, MyTable, watermark=[-(c, 5000:INTERVAL SECOND)], watermarkEmitStrategy=[on-periodic], watermarkAlignment=[group1, PT1M, PT1S]]], fields=[a, b, c])",
			Declared{Expr: "-(c, 5000:INTERVAL SECOND)", DelayMs: 5000, DelayKnown: true, IdleKnown: true, Group: "group1", DriftMs: 60000, UpdateMs: 1000}},
		{"TableSourceScan(table=[[default_catalog, default_database, MyTable, watermark=[-(c, 5000:INTERVAL SECOND)], watermarkEmitStrategy=[on-event]]], fields=[a, b, c])",
			Declared{Expr: "-(c, 5000:INTERVAL SECOND)", DelayMs: 5000, DelayKnown: true, IdleKnown: true, OnEvent: true}},
		{"TableSourceScan(table=[[default_catalog, default_database, rowTimeT, watermark=[SOURCE_WATERMARK()]]], fields=[id, rowtime, val, name])",
			Declared{Expr: "SOURCE_WATERMARK()", Source: true, IdleKnown: true}},
		{"TableSourceScan(table=[[default_catalog, default_database, t1, project=[a, b, t], metadata=[], watermark=[-(t, 10000:INTERVAL SECOND)]]], fields=[a, b, t])",
			Declared{Expr: "-(t, 10000:INTERVAL SECOND)", DelayMs: 10000, DelayKnown: true, IdleKnown: true}},
		{"WatermarkAssigner(rowtime=[rowtime], watermark=[(rowtime - 1000:INTERVAL SECOND)])",
			Declared{Expr: "(rowtime - 1000:INTERVAL SECOND)", DelayMs: 1000, DelayKnown: true}},
		{"WatermarkAssigner(rowtime=[ts], watermark=[ts])", Declared{Expr: "ts", DelayKnown: true}},
		{"WatermarkAssigner(rowtime=[d], watermark=[(d - 1:INTERVAL SECOND)])", Declared{Expr: "(d - 1:INTERVAL SECOND)", DelayMs: 1, DelayKnown: true}},
	} {
		got, ok := ParseDeclared(c.text)
		if !ok || got != c.want {
			t.Errorf("%s\n is %+v %v\nwant %+v", c.text, got, ok, c.want)
		}
	}
	for _, text := range []string{"", "Calc(select=[a])", "TableSourceScan(table=[[a, b, c]], fields=[watermark])", "Source: Orders"} {
		if d, ok := ParseDeclared(text); ok {
			t.Errorf("%s declares %+v", text, d)
		}
	}
}

func TestDelayOf(t *testing.T) {
	for _, c := range []struct {
		expr  string
		ms    int64
		known bool
	}{
		{"c", 0, true},
		{"c.d.f", 0, true},
		{"`from`", 0, true},
		{"-(t, 10000:INTERVAL SECOND)", 10000, true},
		{"-(c.d.f, 5000:INTERVAL SECOND)", 5000, true},
		{"-(+(c, 5000:INTERVAL SECOND), 5000:INTERVAL SECOND)", 0, true},
		{"(rowtime - 5000:INTERVAL SECOND)", 5000, true},
		{"rowtime - 5000:INTERVAL SECOND", 5000, true},
		{"((ts - 1000:INTERVAL SECOND) - 2000:INTERVAL SECOND)", 3000, true},
		{"ts - 5000:INTERVAL SECOND - 1000:INTERVAL SECOND", 6000, true},
		{"(ts + 1000:INTERVAL SECOND)", -1000, true},
		{"-(c, 600000:INTERVAL MINUTE)", 600000, true}, // the number is milliseconds whatever the unit
		{"-(c, 86400000:INTERVAL DAY)", 86400000, true},
		{"-(c, 1:INTERVAL SECOND)", 1, true},
		{"-(c, 5000:INTERVAL SECOND(3))", 5000, true},
		{"-(c, 90000000:INTERVAL DAY TO SECOND)", 90000000, true},
		{"-(ts, 31535995000:INTERVAL DAY(3) TO SECOND)", 31535995000, true},
		{"-(TO_TIMESTAMP(c), 5000:INTERVAL SECOND)", 5000, true},
		{"-(Reinterpret(TO_TIMESTAMP_LTZ(c, 3)), 5000:INTERVAL SECOND)", 5000, true},
		{"-(c, 3:INTERVAL MONTH)", 0, false}, // counts months
		{"-(c, 3:INTERVAL YEAR TO MONTH)", 0, false},
		{"func(func(func(c, a), a), a)", 0, false},
		{"-(myDelay(c), 5000:INTERVAL SECOND)", 0, false},
		{"-(c, d)", 0, false},
		{"-(c)", 0, false},
		{"", 0, false},
		{"((((", 0, false},
		{"-(c, 99999999999999999999:INTERVAL SECOND)", 0, false},
		{strings.Repeat("(", 200) + "c" + strings.Repeat(")", 200), 0, false},
	} {
		ms, known := DelayOf(c.expr)
		if known != c.known || known && ms != c.ms {
			t.Errorf("%.80s is %d %v, want %d %v", c.expr, ms, known, c.ms, c.known)
		}
	}
}

func FuzzDelayOf(f *testing.F) {
	for _, s := range []string{"c", "-(t, 10000:INTERVAL SECOND)", "(a - 5:INTERVAL SECOND)", "-(+(c, 5:INTERVAL DAY), 1:INTERVAL HOUR)", "((a)", "f(x) - 1:INTERVAL SECOND", "-(,)"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		ms, ok := DelayOf(s)
		if inner, same := DelayOf("(" + s + ")"); ok && len(s) < 100 && closes("("+s+")", 0) == len(s)+1 && (!same || inner != ms) {
			t.Errorf("%q is %d, in brackets %d %v", s, ms, inner, same)
		}
		ParseDeclared("TableSourceScan(table=[[x, watermark=[" + s + "], idletimeout=[" + s + "], watermarkAlignment=[" + s + "]]])")
	})
}
