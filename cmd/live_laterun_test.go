//go:build lab

package cmd_test

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// lateRun is jobs under way.
type lateRun struct {
	lab      *liveLab
	kafka    string
	topics   map[string]string
	jobs     map[string]string // by case
	vertices map[string]map[string]string
}

// begin submits one DataStream job for each emission interval and SQL jobs for each interval and topic, of two
// cases: the windows of a job share the memory of one slot, and a lab's slot has 4 MB.
func (r *lateRun) begin(t *testing.T, cases []lateCase, intervals map[string]string, parallelism string) {
	t.Helper()
	r.jobs, r.vertices = map[string]string{}, map[string]map[string]string{}
	for kind, interval := range intervals {
		args := []string{r.kafka, "lateness-" + kind, strings.TrimSuffix(interval, "ms")}
		tables := map[string][]lateCase{}
		for _, c := range cases {
			switch {
			case c.job != kind:
			case c.pushed():
				tables[c.vector] = append(tables[c.vector], c)
			default:
				args = append(args, c.java(r.topics))
			}
		}
		stream := r.lab.startClass(t, "Lateness", args...)
		for _, c := range cases {
			if c.job == kind && !c.pushed() {
				r.jobs[c.name] = stream
			}
		}
		var pairs [][]lateCase
		for _, of := range tables {
			pairs = slices.AppendSeq(pairs, slices.Chunk(of, 2))
		}
		for _, cases := range pairs {
			s := r.lab.session(t)
			s.must(t, "SET 'pipeline.name'='sql-lateness-"+kind+"-"+cases[0].name+"'", "SET 'pipeline.auto-watermark-interval'='"+interval+"'",
				"SET 'parallelism.default'='"+parallelism+"'", "SET 'table.optimizer.agg-phase-strategy'='ONE_PHASE'")
			var inserts []string
			for _, c := range cases {
				create, sink, insert := c.table(r.topics, r.kafka)
				s.must(t, create, sink)
				inserts = append(inserts, insert+";")
			}
			job := s.must(t, "EXECUTE STATEMENT SET BEGIN "+strings.Join(inserts, " ")+" END")
			t.Cleanup(func() { r.lab.stop(job) })
			for _, c := range cases {
				r.jobs[c.name] = job
			}
		}
	}
}

// pushed reports whether the watermark is declared in SQL and pushed into the Kafka source.
func (c lateCase) pushed() bool { return c.sql && !strings.Contains(c.options, "watermark=") }

// vertex finds the vertex whose name holds a text.
func (r *lateRun) vertex(t *testing.T, job, holds string) string {
	t.Helper()
	for _, fresh := range []bool{false, true} {
		if fresh {
			v, err := r.lab.vertices(job)
			if err != nil {
				t.Fatal(err)
			}
			r.vertices[job] = v
		}
		for name, id := range r.vertices[job] {
			if strings.Contains(name, holds) {
				return id
			}
		}
	}
	t.Fatalf("job %s has no vertex %q: %v", job, holds, r.vertices[job])
	return ""
}

// counted gives the records a case has seen and how many of them were late.
func (r *lateRun) counted(t *testing.T, c lateCase) (seen, late int64, ok bool) {
	job := r.jobs[c.name]
	vertex, metrics := c.name+"_Source", []string{"seen Late", "late Late"}
	switch {
	case c.window && c.sql:
		vertex, metrics = c.name+"_Sink", []string{"numRecordsIn WindowAggregate", "numLateRecordsDropped WindowAggregate"}
	case c.sql:
		vertex, metrics = c.name+"_Sink", []string{"numRecordsIn Calc", "numRecordsOut Calc"}
	case c.window:
		vertex, metrics = c.name+"_Window", []string{"numRecordsIn _Window", "numLateRecordsDropped _Window"}
	}
	got, ok := r.lab.sums(job, r.vertex(t, job, vertex), metrics...)
	if !ok {
		return 0, 0, false
	}
	return got[0], got[1], true
}

// until waits for a condition that metric fetches, ten seconds apart, will show.
func until(t *testing.T, what string, limit time.Duration, done func() bool) {
	t.Helper()
	for end := time.Now().Add(limit); !done(); time.Sleep(500 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not within %s", what, limit)
		}
	}
}

// settle waits until every case has seen its records, in two fetches with the same counts: the first
// may have caught the last record between the two counters.
func (r *lateRun) settle(t *testing.T, cases []lateCase, records map[string]int64) map[string]int64 {
	t.Helper()
	read := func() map[string]int64 {
		out := map[string]int64{}
		until(t, "all records read", 3*time.Minute, func() bool {
			for _, c := range cases {
				if _, done := out[c.name]; done {
					continue
				}
				seen, late, ok := r.counted(t, c)
				if !ok || seen < records[c.vector] && !strings.Contains(c.options, "future=") || seen < records[c.vector]-1 {
					return false
				}
				out[c.name] = late
			}
			return true
		})
		return out
	}
	first := read()
	time.Sleep(11 * time.Second)
	second := read()
	for name, late := range first {
		if second[name] != late {
			t.Errorf("%s: %d late, then %d", name, late, second[name])
		}
	}
	return second
}
