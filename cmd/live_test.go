//go:build lab

package cmd_test

import (
	"slices"
	"strings"
	"testing"
)

// scenario is one job of testdata/lab and the verdict it owes.
type scenario struct {
	job   string // "lab-NAME" is a DataStream job, "sql-NAME" a SQL job
	want  []want // empty: the job is healthy, at most infos
	allow []string
	core  bool // also run on older versions of Flink by .ci/nightly
}

// want is a finding that must be there. Where several causes are fair, any of them will do.
type want struct {
	causes   []string
	place    string // must occur in the vertex, operator, split or summary of the finding
	subtasks []int
	split    string
	latent   bool
}

func cause(names ...string) want            { return want{causes: names} }
func (w want) at(place string) want         { w.place = place; return w }
func (w want) on(subtasks ...int) want      { w.subtasks = subtasks; return w }
func (w want) of(split string) want         { w.split = split; return w }
func (w want) hidden() want                 { w.latent = true; return w }
func healthy(job string) scenario           { return scenario{job: job} }
func faulty(job string, w ...want) scenario { return scenario{job: job, want: w} }
func (s scenario) with(causes ...string) scenario {
	s.allow = append(s.allow, causes...)
	return s
}
func (s scenario) everywhere() scenario { s.core = true; return s }

// Kafka's assignment of partitions to readers follows from the topic's name, so subtasks are known beforehand.
var scenarios = []scenario{
	healthy("lab-healthy").everywhere(),
	healthy("lab-sparse"),
	healthy("lab-idle-partition-declared").everywhere(),
	healthy("lab-over-parallel-declared").everywhere(),
	healthy("lab-over-parallel-mended"),
	healthy("lab-quiet-union-declared"),
	healthy("lab-control-stream-declared").everywhere(),
	healthy("lab-timers-healthy"),
	healthy("lab-rare-late-covered"),
	healthy("lab-even-keys").everywhere(),
	healthy("lab-aligned-idle-below-drift"),
	healthy("sql-local-global-idle").everywhere(),
	healthy("sql-temporal-join-quiet-declared"),
	healthy("sql-hop"),

	faulty("lab-idle-partition", cause("idle-split", "idle-subtask").at("Orders").on(1).of("silent3-3")).everywhere(),
	faulty("lab-idle-partition-shared", cause("idle-split").at("Orders").on(1).of("silent3-3")).everywhere(),
	faulty("lab-plain", cause("idle-split").at("Orders").on(0).of("stops-1")).everywhere(),
	faulty("lab-over-parallel", cause("excess-parallelism").at("Orders").on(2, 3)).everywhere(),
	faulty("lab-all-quiet", cause("all-inputs-quiet")),
	faulty("lab-quiet-union", cause("quiet-input").at("Refunds")).everywhere(),
	faulty("lab-control-stream", cause("quiet-input").at("Rules")),
	faulty("lab-quiet-join", cause("quiet-input").at("Payments")).everywhere(),
	faulty("lab-quiet-join-idle-partition", cause("idle-split").at("Orders").of("silent3-3"), cause("quiet-input").at("Payments")).everywhere(),
	faulty("lab-partition-added-silent", cause("idle-split").at("Orders").of("grows-silent-4")).everywhere(),
	faulty("lab-lost-split", cause("lost-split").at("HybridOrders").on(2, 3)).with("known-bug"),

	faulty("lab-no-strategy", cause("never-emitted").at("Orders")).everywhere(),
	faulty("lab-cep-no-strategy", cause("never-emitted").at("Orders")),
	faulty("lab-downstream-assigner", cause("assigner-downstream")).everywhere(),
	faulty("lab-downstream-skewed", cause("assigner-downstream"), cause("late-records").at("Window10s")),
	faulty("lab-seconds-as-millis", cause("epoch-unit").at("Orders")).everywhere(),
	faulty("lab-mixed-units", cause("epoch-unit").at("Orders").of("mixed-1")).everywhere(),
	faulty("lab-zone-ahead", cause("zone-shift").at("Orders")).everywhere(),
	faulty("lab-zone-behind", cause("zone-shift").at("Orders")),
	faulty("lab-epoch-zero", cause("epoch-zero").at("Orders")).with("late-records"),
	faulty("lab-future-latent", cause("future-record").on(1).of("poison4-3").hidden()),
	faulty("lab-wall-clock", cause("wall-clock-generator").at("Orders")).with("all-inputs-quiet"),
	faulty("lab-source-max", cause("end-of-input-max"), cause("late-records")),
	faulty("lab-bounded-idle-max", cause("end-of-input-max")).with("known-bug", "quiet-input", "all-inputs-quiet"),

	faulty("lab-bound-too-large", cause("bound-too-large").at("Orders")).everywhere(),
	faulty("lab-rare-late-far", cause("bound-too-large").at("Orders")),
	faulty("lab-skewed", cause("split-skew").at("Orders").on(0).of("skew-2")),
	faulty("lab-old-data", cause("old-data").at("Orders")),
	faulty("lab-catching-up", cause("source-backlog").at("Orders")).with("backpressure"),
	// Before its first pass of timers has ended the operator has let nothing through; afterwards it is merely slow.
	faulty("lab-timer-blocked", cause("operator-stall", "backpressure").at("Reminders")),
	faulty("lab-swallowed", cause("operator-stall").at("Timestamps/Watermarks")).everywhere(),
	faulty("lab-hot-key", cause("backpressure").at("SlowLookup")).everywhere(),
	faulty("lab-aligned-stall", cause("alignment-stall").at("Payments")).with("quiet-input", "known-bug"),
	faulty("lab-aligned-idle-above-drift", cause("drift-below-idle").at("Orders")),
	faulty("lab-rare-late", cause("late-records").at("Window10s")),
	faulty("lab-late", cause("late-records").at("Window10s")).everywhere(),
	faulty("lab-restarts", cause("restart-loop")),

	faulty("sql-idle-split", cause("idle-split").on(1).of("silent3-3")).everywhere(),
	faulty("sql-interval-join", cause("operator-hold").at("IntervalJoin")).everywhere(),
	faulty("sql-zone-shift", cause("zone-shift")).everywhere(),
	faulty("sql-temporal-join-zero", cause("epoch-zero")).with("quiet-input", "late-uncounted"),
	faulty("sql-mini-batch-proctime", cause("minibatch-proctime")),
	faulty("sql-group-by-only", cause("no-event-time")),
	faulty("sql-late-drops", cause("late-records")).everywhere(),
}

func TestTriageOnLiveCluster(t *testing.T) {
	lab := openLab(t)
	chosen := slices.DeleteFunc(slices.Clone(scenarios), func(s scenario) bool { return !lab.current() && !s.core })
	lab.submit(chosen)
	report := lab.triage()
	for _, s := range chosen {
		t.Run(s.job, func(t *testing.T) {
			job, found := report.job(s.job)
			if !found {
				t.Fatalf("the report has no job %s", s.job)
			}
			s.judge(t, job, lab.namesSplits())
		})
	}
	if lab.namesSplits() {
		t.Run("gate", lab.gate)
	}
}

func (s scenario) judge(t *testing.T, job liveJob, namesSplits bool) {
	expected := slices.Clone(s.allow)
	for _, w := range s.want {
		expected = append(expected, w.causes...)
		if !slices.ContainsFunc(job.Findings, func(f liveFinding) bool { return w.met(f, namesSplits) }) {
			t.Errorf("no finding %s", w)
		}
	}
	for _, f := range job.Findings {
		if f.Severity != "info" && !slices.Contains(expected, f.Cause) {
			t.Errorf("unexpected %s: %s", f.Severity, f)
		}
	}
	if len(s.want) == 0 && job.Verdict != "healthy" && job.Verdict != "info" {
		t.Errorf("verdict %s, want healthy or info", job.Verdict)
	}
	if t.Failed() {
		for _, f := range job.Findings {
			t.Logf("%s: %s", f.Severity, f)
		}
		for _, n := range job.NotChecked {
			t.Logf("not checked: %s", n.Reason)
		}
	}
}

func (w want) met(f liveFinding, namesSplits bool) bool {
	if !slices.Contains(w.causes, f.Cause) || w.latent != f.Latent {
		return false
	}
	if w.place != "" && !strings.Contains(strings.Join([]string{f.Vertex.Name, f.Operator, f.Split, f.Summary}, "\n"), w.place) {
		return false
	}
	if w.subtasks != nil && !slices.Equal(w.subtasks, f.Subtasks) {
		return false
	}
	// Below 2.1 the split follows from two offsets: it may be left open, but never wrong.
	return w.split == "" || f.Split == w.split || (!namesSplits && f.Split == "")
}
