package analyze

import (
	"strings"
	"testing"

	"tidemark/analyze/catalog"
)

// fieldCase is a problem that a user reported, with what must be found from REST alone, and a healthy job that looks
// alike. Files are below testdata.
type fieldCase struct {
	number  int
	problem string
	fixture string
	causes  []string // must all be found
	says    string   // must be in the summary of the first
	twin    string
	quiet   []string // must not be found in the twin
	verdict Verdict  // of the twin
}

var fieldCases = []fieldCase{
	{1, "no output once parallelism is above the partitions written", "recordings/flink-2.3.0/lab-idle-partition", []string{"idle-split"}, "silent3-3",
		"checks/idle-split/quiet.idle-partition-declared-2.3.0", []string{"idle-split", "idle-subtask", "excess-parallelism"}, VerdictInfo},
	{3, "a partition had data once and went quiet", "recordings/flink-2.3.0/lab-plain", []string{"idle-split"}, "its watermark stands at",
		"checks/idle-split/quiet.sparse-2.3.0", []string{"idle-split"}, VerdictHealthy},
	{5, "more source subtasks than partitions", "recordings/flink-2.3.0/lab-over-parallel", []string{"excess-parallelism"}, "4 subtasks over 2 splits",
		"checks/excess-parallelism/quiet.over-parallel-declared-1.20.3", []string{"excess-parallelism", "idle-subtask"}, VerdictHealthy},
	{7, "window never fires, no strategy at all", "recordings/flink-1.20.3/lab-no-strategy", []string{"never-emitted"}, "noWatermarks()",
		"recordings/flink-1.20.3/lab-healthy", []string{"never-emitted"}, VerdictHealthy},
	{8, "CEP without a strategy buffers everything", "checks/never-emitted/fires.cep-no-strategy-2.3.0", []string{"never-emitted"}, "CepOperator",
		"checks/backpressure/quiet.cep-2.3.0", []string{"never-emitted"}, VerdictHealthy},
	{9, "records have no timestamp, the job restarts in a loop", "checks/never-emitted/fires.no-timestamps-2.3.0", []string{"never-emitted", "restart-loop"}, "no timestamp",
		"checks/restart-loop/fires.restarts-2.3.0", []string{"never-emitted", "idle-split"}, VerdictCritical},
	{12, "splits end before the periodic emit", "checks/never-emitted/fires.edit-splits-gone", []string{"never-emitted"}, "finish within one emit interval",
		"checks/end-of-input-max/quiet.bounded-2.3.0", []string{"never-emitted"}, VerdictHealthy},
	{16, "an operator takes event time in and passes none on", "checks/operator-stall/fires.timer-backlog-2.3.0", []string{"operator-stall"}, "inside this operator",
		"checks/operator-stall/quiet.timers-healthy-2.3.0", []string{"operator-stall", "backpressure"}, VerdictHealthy},
	{17, "idle timeout set, all partitions quiet", "checks/all-inputs-quiet/fires.all-quiet-2.3.0", []string{"all-inputs-quiet"}, "window that ends at",
		"checks/all-inputs-quiet/quiet.sparse-2.3.0", []string{"all-inputs-quiet"}, VerdictHealthy},
	{19, "the last window waits for the next record", "checks/all-inputs-quiet/fires.all-quiet-plain-2.3.0", []string{"all-inputs-quiet"}, "closes it",
		"checks/end-of-input-max/quiet.bounded-2.3.0", []string{"all-inputs-quiet"}, VerdictHealthy},
	{22, "idleness takes timeout plus three intervals", "checks/idle-split/fires.edit-above-timeout", []string{"idle-split"}, "silent3-3",
		"checks/idle-split/quiet.edit-below-timeout", []string{"idle-split"}, VerdictIncomplete},
	{25, "a blocked split counted as idle, then late drops", "checks/false-idle/fires.false-idle-1.18.1", []string{"false-idle", "late-records"}, "records are pending",
		"checks/false-idle/quiet.late-2.3.0", []string{"false-idle"}, VerdictCritical},
	{27, "HybridSource switch leaves subtasks without a split", "checks/lost-split/fires.lost-split-1.18.1", []string{"lost-split"}, "an idle timeout does not help",
		"checks/lost-split/quiet.plain-1.18.1", []string{"lost-split"}, VerdictCritical},
	{30, "MAX from a source that still reads", "checks/end-of-input-max/fires.source-max-2.3.0", []string{"end-of-input-max", "late-records"}, "still reads",
		"checks/end-of-input-max/quiet.bounded-2.3.0", []string{"end-of-input-max"}, VerdictHealthy},
	{35, "one record from the future, everything else is late", "checks/future-record/fires.future-record-2.3.0", []string{"future-record", "late-records"}, "ahead of the wall clock",
		"checks/future-record/quiet.zone-ahead-2.3.0", []string{"future-record"}, VerdictCritical},
	{38, "time zone taken twice, 8 hours ahead", "checks/zone-shift/fires.sql-zone-shift-2.3.0", []string{"zone-shift"}, "8 h ahead",
		"checks/zone-shift/quiet.old-data-2.3.0", []string{"zone-shift"}, VerdictWarning},
	{38, "time zone taken twice, behind", "checks/zone-shift/fires.zone-behind-2.3.0", []string{"zone-shift"}, "5 h 30 min behind",
		"checks/zone-shift/quiet.bound-too-large-2.3.0", []string{"zone-shift"}, VerdictWarning},
	{41, "the generator emits the wall clock", "checks/wall-clock-generator/fires.wall-clock-2.3.0", []string{"wall-clock-generator"}, "without a single record",
		"checks/wall-clock-generator/quiet.wall-clock-live-2.3.0", []string{"wall-clock-generator"}, VerdictHealthy},
	{42, "bound of zero on unordered input", "checks/late-records/fires.late-monotonous-2.3.0", []string{"late-records"}, "% of its input",
		"checks/late-records/quiet.late-past-2.3.0", []string{"late-records"}, VerdictInfo},
	{44, "one subtask reads two partitions of different age, assigner behind the source", "checks/assigner-downstream/fires.downstream-skewed-2.3.0", []string{"assigner-downstream", "late-records"}, "one watermark is shared by all partitions",
		"checks/assigner-downstream/quiet.table-assigner-2.3.0", []string{"assigner-downstream"}, VerdictHealthy},
	{46, "late rows of a temporal join are invisible", "checks/late-uncounted/fires.sql-temporal-join-late-2.3.0", []string{"late-uncounted"}, "no counter for late rows",
		"checks/late-uncounted/quiet.sql-late-over-2.3.0", []string{"late-uncounted"}, VerdictCritical},
	{48, "timers at one hour stop event time after a restart", "checks/operator-stall/fires.timer-blocked-2.3.0", []string{"operator-stall"}, "inside this operator",
		"checks/operator-stall/quiet.slow-timers-2.3.0", []string{"operator-stall"}, VerdictWarning},
	{50, "WATERMARK declared, plain GROUP BY", "checks/no-event-time/fires.sql-group-by-only-2.3.0", []string{"no-event-time"}, "uses event time",
		"checks/no-event-time/quiet.session-2.3.0", []string{"no-event-time"}, VerdictHealthy},
	{52, "watermarks start again after a restore", "checks/warming-up/fires.warming-up-2.3.0", []string{"warming-up"}, "which is normal",
		"checks/warming-up/quiet.sql-idle-timeout-warming-2.3.0", []string{"warming-up"}, VerdictHealthy},
	{53, "late drops after a rescale: the drops, their share and place are reported, the old parallelism is not in REST", "recordings/flink-2.3.0/lab-late", []string{"late-records"}, "dropped",
		"checks/late-records/quiet.late-side-output-2.3.0", []string{"late-records"}, VerdictHealthy},
	{55, "alignment hangs on a member that does not advance", "checks/alignment-stall/fires.aligned-stall-2.3.0", []string{"alignment-stall"}, `the group waits for source "Payments" subtask 0`,
		"checks/alignment-stall/quiet.aligned-stall-silent-split-2.3.0", []string{"alignment-stall"}, VerdictIncomplete},
	{57, "alignment hangs before the fix of finished members", "checks/alignment-stall/fires.aligned-stall-1.18.1", []string{"alignment-stall"}, "alignment pauses them",
		"checks/alignment-stall/quiet.aligned-healthy-2.3.0", []string{"alignment-stall"}, VerdictHealthy},
	{60, "alignment caps the catch-up speed", "checks/alignment-throttle/fires.aligned-throttle-1.20.3", []string{"alignment-throttle"}, "with the CPU idle",
		"checks/alignment-throttle/quiet.aligned-healthy-2.3.0", []string{"alignment-throttle"}, VerdictHealthy},
	{63, "change-data snapshot rows carry time 0", "checks/epoch-zero/fires.sql-temporal-join-zero-2.3.0", []string{"epoch-zero"}, "carry time 0",
		"checks/epoch-zero/quiet.sql-temporal-join-2.3.0", []string{"epoch-zero", "quiet-input"}, VerdictInfo},
	{65, "union with a quiet stream", "checks/quiet-input/fires.quiet-union-2.3.0", []string{"quiet-input"}, `its input "Refunds" is silent`,
		"checks/quiet-input/quiet.quiet-union-declared-2.3.0", []string{"quiet-input"}, VerdictHealthy},
	{68, "MIN on subtasks without input whose downstream moves", "checks/idle-split/fires.sql-local-global-silent-2.3.0", []string{"idle-split"}, "2 splits are silent",
		"checks/idle-split/quiet.sql-local-global-idle-2.3.0", []string{"idle-split", "idle-subtask", "never-emitted"}, VerdictHealthy},
	{70, "split metrics name the split, from 2.1 on", "recordings/flink-2.3.0/lab-idle-partition-shared", []string{"idle-split"}, "silent3-3",
		"recordings/flink-2.3.0/lab-healthy", []string{"idle-split"}, VerdictInfo},
	{70, "before 2.1 Kafka offsets name it", "recordings/flink-1.20.3/lab-idle-partition-shared", []string{"idle-split"}, "silent3-3",
		"recordings/flink-1.20.3/lab-healthy", []string{"idle-split"}, VerdictHealthy},
}

func TestFieldCases(t *testing.T) {
	for _, c := range fieldCases {
		t.Run(strings.ReplaceAll(c.problem, " ", "_"), func(t *testing.T) {
			j := onlyJob(t, "../testdata/"+c.fixture+".jsonl.gz")
			for i, cause := range c.causes {
				f, ok := findingOf(j, cause)
				if !ok {
					t.Fatalf("case %d: %s is not found: %v", c.number, cause, placesOf(j.Findings))
				}
				if i == 0 && !strings.Contains(f.Summary, c.says) {
					t.Errorf("case %d: summary %q does not say %q", c.number, f.Summary, c.says)
				}
			}
			twin := onlyJob(t, "../testdata/"+c.twin+".jsonl.gz")
			for _, cause := range c.quiet {
				if f, named := findingOf(twin, cause); named {
					t.Errorf("case %d: %s is found in the healthy twin: %s", c.number, cause, f.Summary)
				}
			}
			if twin.Verdict != c.verdict {
				t.Errorf("case %d: the twin is %s, want %s: %v", c.number, twin.Verdict, c.verdict, placesOf(twin.Findings))
			}
		})
	}
}

func findingOf(j JobReport, cause string) (catalog.Finding, bool) {
	for _, f := range j.Findings {
		if f.Cause == cause {
			return f, true
		}
	}
	return catalog.Finding{}, false
}
