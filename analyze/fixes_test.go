package analyze

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
	"tidemark/internal/units"
)

// since maps words of a fix to the first version that has them.
var since = []struct {
	text         string
	major, minor int
}{
	{"scan.watermark.", 1, 18}, {"scan.parallelism", 1, 19}, {"interruptible-timers", 1, 20}, {"watermark-alignment.buffer-size", 2, 3},
	{"allowedLateness(Duration", 2, 0},
}

var (
	javaWords = regexp.MustCompile(`withIdleness|WatermarkStrategy|env\.|in DataStream|assignTimestamps`)
	sqlWords  = regexp.MustCompile(`SET '|WATERMARK FOR|scan\.|table\.exec|in SQL|CREATE TABLE|window table function`)
	timeout   = regexp.MustCompile(`withIdleness\(([^)]*\))\)|idle-timeout' = '([^']*)'`)
	strategy  = regexp.MustCompile(`WATERMARK FOR|forBoundedOutOfOrderness|forMonotonousTimestamps`)
)

// changesDelay are the causes whose fix is another delay than the one in force.
var changesDelay = map[string]bool{"TM301": true, "TM401": true, "TM701": true}

// The fixes for every recording of the repository suit its job.
func TestFixesFitTheJob(t *testing.T) {
	asked := 0
	for _, pattern := range []string{recordingsDir + "/*/*.jsonl.gz", "../testdata/checks/*/*.jsonl.gz"} {
		for _, file := range filesIn(t, pattern) {
			r := judgeFile(t, file)
			for _, j := range r.Jobs {
				asked += len(j.Findings)
			}
			for _, wrong := range judged.unfit[r] {
				t.Errorf("%s: %s", file, wrong)
			}
		}
	}
	if asked < 150 {
		t.Errorf("only %d fixes were looked at", asked)
	}
}

// unfitFixes lists the fixes of a report that do not suit its jobs.
func unfitFixes(c *flinkapi.Capture, r *Report) []string {
	var out []string
	for i, jc := range c.Jobs {
		j := model.BuildJob(c, jc)
		if j.Now == nil || len(j.Now.Plan.Nodes) == 0 {
			continue
		}
		numbers := map[string]string{}
		for _, f := range r.Jobs[i].Findings {
			for _, wrong := range unfit(j, f, numbers) {
				out = append(out, fmt.Sprintf("%s %s\n%s\n%s\n%s", f.Code, wrong, f.Fix.Text, f.Fix.DataStream, f.Fix.SQL))
			}
		}
	}
	return out
}

// unfit says in what way a fix does not suit the job. numbers are the idle timeouts proposed so far, by source.
func unfit(j *model.Job, f catalog.Finding, numbers map[string]string) []string {
	var out []string
	code := f.Fix.DataStream + "\n" + f.Fix.SQL
	switch sql, both := languages(j); {
	case both:
	case sql && (f.Fix.DataStream != "" || javaWords.MatchString(f.Fix.Text)):
		out = append(out, "has DataStream code for a SQL job")
	case !sql && (f.Fix.SQL != "" || sqlWords.MatchString(f.Fix.Text)):
		out = append(out, "has SQL code for a DataStream job")
	}
	for _, s := range since {
		if strings.Contains(code+f.Fix.Text, s.text) && j.Version.Below(s.major, s.minor, 0) {
			out = append(out, s.text+" is not in Flink "+j.Version.String())
		}
	}
	for _, name := range []string{"\"Orders\"", "FROM orders", "<Order>", "<partitions>", "`rows`"} {
		if strings.Contains(code, name) && !strings.Contains(strings.Join(namesIn(j), " "), strings.Trim(name, `"`)) {
			out = append(out, "has the placeholder "+name)
		}
	}
	if f.Vertex == nil {
		return out
	}
	src := j.Vertex(f.Vertex.ID)
	if !src.IsSource() {
		return out
	}
	d, declared := j.Declared(src)
	clause := "INTERVAL '" + strings.TrimSuffix(units.Option(d.DelayMs), " s") + "' SECOND"
	if declared && d.DelayKnown && !d.Source && d.DelayMs%1000 == 0 && d.DelayMs < 60_000 && d.DelayMs > 0 && strategy.MatchString(code) &&
		strings.Contains(code, clause) == changesDelay[f.Code] {
		out = append(out, "does not keep the declared delay, or repeats the one to change")
	}
	if m := timeout.FindStringSubmatch(code); m != nil {
		ms := m[1] + m[2]
		if declared && d.IdleMs > 0 && (units.Java(d.IdleMs) == m[1] || units.Option(d.IdleMs) == m[2] || f.Code != "TM504") {
			out = append(out, "sets the idle timeout that is set")
		}
		if f.Code == "TM102" || f.Code == "TM103" || f.Code == "TM604" || f.Code == "TM104" {
			if before, told := numbers[src.ID]; told && before != ms {
				out = append(out, "says "+ms+" after "+before)
			}
			numbers[src.ID] = ms
		}
	}
	if declared && d.Group != "" && strings.Contains(code, "max-drift' = '"+units.Option(d.DriftMs)) {
		out = append(out, "sets the drift that is set")
	}
	return out
}

// languages looks for SQL in the plan text: nodes of the planner, and tables made from a stream.
func languages(j *model.Job) (sql, both bool) {
	text := strings.Join(namesIn(j), "\n")
	return planned.MatchString(text), strings.Contains(text, "DataStreamToTable")
}

var planned = regexp.MustCompile(`[A-Za-z]\[\d+\]|[a-zA-Z]+=\[`)

func namesIn(j *model.Job) []string {
	var out []string
	for _, v := range j.Vertices {
		out = append(out, v.Name)
		for _, op := range v.Chain {
			out = append(out, op.Text)
		}
	}
	return out
}

// A fix does not propose to set what is set already, or may be.
func TestFixesFitTheFinding(t *testing.T) {
	for _, c := range []struct{ file, code, says, never string }{
		{"checks/never-emitted/fires.no-timestamps-2.3.0", "TM101", "timestamp assigner", "REST cannot tell"},
		{"faults/assigner-empty-subtask-sql", "TM107", "normalized by key", "WATERMARK FOR"},
		{"faults/quiet-never-spoke-datastream", "TM102", "withIdleness", "forBoundedOutOfOrderness"}, // its gauges were read at different times
		{"checks/alignment-stall/quiet.aligned-throttle-1.20.3", "TM503", "withWatermarkAlignment(group, ", `"events"`},
		{"checks/bound-too-large/quiet.zone-behind-2.3.0", "TM203", "ZoneOffset.UTC", "Shanghai"},
		{"checks/bound-too-large/quiet.zone-behind-2.3.0", "TM203", "First compare", "Shanghai"},
		{"checks/backpressure/quiet.timer-blocked-2.3.0", "TM307", "off by default", "(the option is"},
	} {
		f := foundAt(t, c.file, c.code).Fix
		if text := f.Text + f.DataStream + f.SQL; !strings.Contains(text, c.says) || strings.Contains(text, c.never) {
			t.Errorf("%s %s: want %q and not %q in %s", c.file, c.code, c.says, c.never, text)
		}
	}
}
