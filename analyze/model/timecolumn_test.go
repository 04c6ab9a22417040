package model_test

import (
	"testing"

	"tidemark/analyze/model"
	"tidemark/internal/jobtest"
)

// A window, OVER, pattern or sort uses event time only where its column is a rowtime.
func TestTimeColumn(t *testing.T) {
	for _, c := range []struct{ name, source, task, head string }{
		{"window table function", "[2]:Calc(select=[SPLIT_INDEX(line, ',', 0) AS k, PROCTIME() AS pt])",
			"[4]:WindowAggregate(groupBy=[k], window=[HOP(time_col=[pt], size=[10 s], slide=[5 s])], select=[k, COUNT(*) AS c])", "WindowAggregate[4]"},
		{"renamed on the way", "[2]:Calc(select=[k, PROCTIME() AS pt])<br/>   +- [3]:Calc(select=[k, pt AS event_time], where=[(k = 'a')])",
			"[4]:WindowAggregate(groupBy=[k], window=[CUMULATE(time_col=[event_time], max_size=[10 min], step=[10 s])], select=[k])", "WindowAggregate[4]"},
		{"legacy group window by position", "[2]:Calc(select=[line, PROCTIME() AS $f1])",
			"[4]:GroupWindowAggregate(groupBy=[line], window=[TumblingGroupWindow('w$, $f1, 10000)], select=[line, COUNT(*) AS EXPR$1])", "GroupWindowAggregate[4]"},
		{"session group window", "[2]:Calc(select=[line AS k, PROCTIME() AS pt])",
			"[4]:GroupWindowAggregate(groupBy=[k], window=[SessionGroupWindow('w$, pt, 10000)], select=[k])", "GroupWindowAggregate[4]"},
		{"OVER by position", "[2]:Calc(select=[line AS k, PROCTIME() AS $1])",
			"[4]:OverAggregate(partitionBy=[k], orderBy=[$1 ASC], window=[ RANG BETWEEN 10000 PRECEDING AND CURRENT ROW], select=[k, $1, COUNT(*) AS w0$o0])", "OverAggregate[4]"},
		{"OVER by index only", "[2]:Calc(select=[line AS k, PROCTIME()])",
			"[4]:OverAggregate(partitionBy=[k], orderBy=[$1 ASC], select=[k])", "OverAggregate[4]"},
		{"pattern", "[2]:Calc(select=[line AS k, PROCTIME() AS pt])",
			"[4]:Match(partitionBy=[k], orderBy=[pt ASC], measures=[FINAL(A.k) AS a], rowsPerMatch=[ONE ROW PER MATCH], pattern=[_UTF-16LE'A'], define=[{}])", "Match[4]"},
		{"sort", "[2]:Calc(select=[line AS k, PROCTIME() AS pt])", "[4]:TemporalSort(orderBy=[pt ASC, k ASC])", "TemporalSort[4]"},
		{"window behind a window table function", "[2]:Calc(select=[line AS k, PROCTIME() AS pt])<br/>   +- [3]:WindowTableFunction(window=[TUMBLE(time_col=[pt], size=[10 s])])",
			"[4]:WindowRank(window=[TUMBLE(win_start=[window_start], win_end=[window_end], size=[10 s])], partitionBy=[k], orderBy=[k ASC], select=[k])", "WindowRank[4]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, scan := range []string{"[1]:TableSourceScan(table=[[default_catalog, default_database, o]], fields=[line])", "Source: KafkaSource-default_catalog.default_database.o"} {
				m := jobtest.New("2.2.1")
				m.Vertex("Source: o[1]", scan+"<br/>+- "+c.source+"<br/>", 2)
				m.Vertex(c.head, c.task+"<br/>", 1, "Source: o[1]")
				m.Passes(c.head, 0, c.head, jobtest.NoMark, jobtest.NoMark, jobtest.NoMark, jobtest.NoMark)
				j := m.Build()
				if got := j.Vertices[len(j.Vertices)-1].Head().Kind; got != model.KindProcTime {
					t.Errorf("behind %.30s it is %s", scan, got)
				}
				if j.UsesEventTime() != model.UseNo {
					t.Error("the job is said to use event time")
				}
			}
		})
	}
}

// The same operators on a rowtime, or on a column of unknown kind, wait for watermarks.
func TestTimeColumnOfEventTime(t *testing.T) {
	for _, c := range []struct{ name, source, task string }{
		{"declared by the scan", "[1]:TableSourceScan(table=[[c, d, o, watermark=[-(ts, 5000:INTERVAL SECOND)]]], fields=[k, ts])",
			"[4]:WindowAggregate(groupBy=[k], window=[TUMBLE(time_col=[ts], size=[10 s])], select=[k])"},
		{"beside a PROCTIME() column", "[1]:TableSourceScan(table=[[c, d, o]], fields=[k, x])<br/>+- [2]:Calc(select=[k, TO_TIMESTAMP(x) AS ts, PROCTIME() AS pt])<br/>   +- [3]:WatermarkAssigner(rowtime=[ts], watermark=[(ts - 5000:INTERVAL SECOND)])",
			"[4]:WindowAggregate(groupBy=[k], window=[TUMBLE(time_col=[ts], size=[10 s])], select=[k])"},
		{"unknown column", "Source: o", "[4]:OverAggregate(partitionBy=[k], orderBy=[ts ASC], select=[k])"},
		{"column that is lost", "[1]:TableSourceScan(table=[[c, d, o]], fields=[k])<br/>+- [2]:Calc(select=[k, PROCTIME() AS pt])", "[4]:OverAggregate(partitionBy=[k], orderBy=[ts ASC], select=[k])"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := jobtest.New("1.20.3")
			m.Vertex("Source: o[1]", c.source+"<br/>", 2)
			m.Vertex("Task[4]", c.task+"<br/>", 1, "Source: o[1]")
			if j := m.Build(); j.UsesEventTime() != model.UseYes {
				t.Errorf("%s does not count as a use of event time", j.Vertices[1].Head().Text)
			}
		})
	}
}

// A window that emitted rows without ever having had a watermark runs on processing time, whatever its column is called;
// where a processing-time trigger may have fired it, that proves nothing.
func TestFiredWithoutWatermark(t *testing.T) {
	build := func(text, rows string, mark int64) model.Kind {
		m := jobtest.New("1.18.1").Source("o", 1000)
		m.Vertex("Task[4]", text+"<br/>", 1, "Source: o")
		m.Passes("Task[4]", 0, "Task[4]", mark, mark, mark, mark).Gauge("Task[4]", 0, "Task[4].numRecordsOut", "0", rows)
		return m.Build().Vertices[1].Head().Kind
	}
	window := "[4]:GroupWindowAggregate(groupBy=[k], window=[TumblingGroupWindow('w$, pt, 10000)], select=[k])"
	for _, c := range []struct {
		text, rows string
		mark       int64
		want       model.Kind
	}{
		{window, "17", jobtest.NoMark, model.KindProcTime},
		{window, "0", jobtest.NoMark, model.KindWindow},
		{"[4]:OverAggregate(partitionBy=[k], orderBy=[pt ASC], select=[k])", "17", jobtest.NoMark, model.KindProcTime},
		{"CepOperator", "17", jobtest.NoMark, model.KindProcTime},
		{window, "17", jobtest.At0, model.KindWindow},
		{"[4]:GroupWindowAggregate(groupBy=[k], window=[TumblingGroupWindow('w$, ts, 10000)], select=[k], emit=[early delay 5000 millisecond])", "17", jobtest.NoMark, model.KindWindow},
		{"[4]:LocalWindowAggregate(groupBy=[k], window=[TUMBLE(time_col=[ts], size=[10 s])], select=[k])", "17", jobtest.NoMark, model.KindLocalWindow},
		{"Window(TumblingEventTimeWindows(10000), ProcessingTimeoutTrigger, Sum)", "17", jobtest.NoMark, model.KindWindow},
	} {
		if got := build(c.text, c.rows, c.mark); got != c.want {
			t.Errorf("%.60s with %s rows out at %d is %s, want %s", c.text, c.rows, c.mark, got, c.want)
		}
	}
}

// A part of the job has no sign of event time unless a watermark is known anywhere in it.
func TestEventTimeSign(t *testing.T) {
	build := func(source string) *model.Vertex {
		m := jobtest.New("2.3.0").Source("Orders", 1000, 1000).Source("Rules", 1000)
		for i := range 2 {
			m.Emits("Orders", i, jobtest.NoMark, jobtest.NoMark)
		}
		m.Emits("Rules", 0, jobtest.NoMark, jobtest.NoMark)
		if source != "" {
			m.Emits(source, 0, jobtest.At0, jobtest.At1)
		}
		m.Vertex("Debounce", "Debounce<br/>", 1, "Source: Orders", "Source: Rules|BROADCAST")
		m.Passes("Debounce", 0, "Debounce", jobtest.NoMark, jobtest.NoMark, jobtest.NoMark, jobtest.NoMark)
		return m.Build().Sources()[0]
	}
	if v := build(""); v.EventTimeSign() || v.NeedsEventTime() || v.EventTimeUse() != model.UseUnknown {
		t.Error("noWatermarks() before a keyed function is taken for event time")
	}
	if v := build("Rules"); !v.EventTimeSign() || !v.NeedsEventTime() {
		t.Error("the watermark of the other input is no sign of event time")
	}
}
