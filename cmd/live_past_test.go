//go:build lab

package cmd_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"tidemark/analyze/series"
)

// planted is a fault that a test of the past makes, and where the timeline has to tell its onset.
type planted struct {
	name      string
	asked, id string // the job as it is asked for, and its id
	at        time.Time
	split     string           // whose trouble began then, "" = an event of the job
	kind      series.EventKind // of the event
	says      string           // what the event says
	within    time.Duration    // how exactly it is to be known
}

const (
	scrape = 5 * time.Second
	jitter = 1500 * time.Millisecond // of a scrape, of the load and of an emission interval, on a busy machine
)

// Faults are planted one after the other on a running lab, and the past tells the onset of each to one scrape, or
// two where the job began again in between. At the end the past says of each job what REST says. It needs
// `lab prometheus`; as it kills the TaskManager, no other test may use the lab meanwhile.
func TestPastTellsTheOnsetOfWhatIsPlanted(t *testing.T) {
	prometheus := os.Getenv("TIDEMARK_LAB_PROMETHEUS")
	if prometheus == "" {
		t.Skip("no lab with a Prometheus: TIDEMARK_LAB_PROMETHEUS is not set")
	}
	l := openLab(t)
	topic := func(name string) string { return fmt.Sprintf("past-%s-%d", name, time.Now().Unix()%100_000) }
	stops, behind, poison, orders := topic("stops"), topic("behind"), topic("poison"), topic("orders")
	l.run("produce", "900", stops+":4:40:stopAfter=1@120", behind+":4:40:oldAfter=140@90000", poison+":4:40:future=160,futureOn=3", orders+":4:40")
	began := time.Now()
	start := func(scenario, topic string) string { return l.startClass(t, "Lab", l.kafka(), scenario, topic) }
	jobs := map[string]string{"plain": start("plain", stops), "skewed": start("skewed", behind), "future-latent": start("future-latent", poison), "healthy": start("healthy", orders), "survives": start("survives", orders)}
	time.Sleep(time.Until(began.Add(200 * time.Second)))
	faults := []planted{
		{"a partition stops", jobs["plain"], jobs["plain"], began.Add(120 * time.Second), stops + "-1", "", "", scrape},
		{"a source falls behind", jobs["skewed"], jobs["skewed"], began.Add(140 * time.Second), behind + "-2", "", "", scrape},
		{"a record of the future", jobs["future-latent"], jobs["future-latent"], began.Add(160 * time.Second), poison + "-3", "", "", scrape},
	}
	l.run("cancel", "^lab-healthy$")
	redeployed := time.Now()
	jobs["healthy"] = start("healthy", orders)
	faults = append(faults, planted{"a redeploy", "lab-healthy", jobs["healthy"], redeployed, "", series.Deployment, "submitted again", 2 * scrape})
	time.Sleep(75 * time.Second) // a job is not judged in its first minute
	l.saysWhatRESTSays(t, prometheus, began, jobs)

	l.run("taskmanager", "kill")
	killed := time.Now()
	l.until("the TaskManager is missed", func() bool { return l.taskmanagers() == 0 })
	l.run("taskmanager", "start")
	t.Cleanup(func() { l.until("a TaskManager", func() bool { return l.taskmanagers() > 0 }) })
	back := l.begins(jobs["survives"], killed)
	faults = append(faults,
		planted{"a TaskManager is killed", jobs["survives"], jobs["survives"], killed, "", series.TaskManager, "no subtask runs on", 2 * scrape},
		planted{"the job goes on when there is one again", jobs["survives"], jobs["survives"], back, "", series.Restart, "is running again", 2 * scrape})
	time.Sleep(75 * time.Second)
	l.saysWhatRESTSays(t, prometheus, began, map[string]string{"survives": jobs["survives"]})
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) { f.judge(t, l.past(t, prometheus, f.asked, f.id, began, time.Now())) })
	}
}

func (f planted) judge(t *testing.T, job pastJob) {
	var found []series.Interval
	for _, tr := range job.Timeline.Tracks {
		for _, c := range tr.Changes {
			if f.split != "" && tr.At.Split == f.split && c.State != "advancing" {
				found = append(found, c.Since)
			}
		}
	}
	for _, e := range job.Timeline.Events {
		if f.split == "" && e.Kind == f.kind && strings.Contains(e.Text, f.says) {
			found = append(found, e.At)
		}
	}
	if slices.ContainsFunc(found, func(at series.Interval) bool {
		return at.UntilMs-at.AfterMs <= (f.within+jitter).Milliseconds() &&
			at.AfterMs <= f.at.Add(jitter).UnixMilli() && at.UntilMs >= f.at.Add(-jitter).UnixMilli()
	}) {
		return
	}
	t.Errorf("planted at %s, nothing in", f.at.UTC().Format(time.TimeOnly))
	show := func(ms int64) string { return time.UnixMilli(ms).UTC().Format("15:04:05.000") }
	for _, at := range found {
		t.Logf("  %s to %s", show(at.AfterMs), show(at.UntilMs))
	}
	for _, e := range job.Timeline.Events {
		t.Logf("  event %s to %s %s %s", show(e.At.AfterMs), show(e.At.UntilMs), e.Kind, e.Text)
	}
}

// pastJob is what the past says of a job.
type pastJob struct {
	liveJob
	ID       string          `json:"id"`
	Timeline series.Timeline `json:"timeline"`
}

// past asks for a stretch of the past of a job.
func (l *liveLab) past(t *testing.T, prometheus, asked, id string, since, until time.Time) pastJob {
	t.Helper()
	at := func(when time.Time) string { return when.UTC().Format(time.RFC3339Nano) }
	one, _ := l.judged(t, asked, id, "--prometheus", prometheus, "--since", at(since), "--until", at(until))
	return one
}

// judged is what triage says of a job, and when it read.
func (l *liveLab) judged(t *testing.T, asked, id string, args ...string) (pastJob, time.Time) {
	t.Helper()
	_, stdout, stderr := l.tidemark(t, append([]string{"triage", asked, "-o", "json", "--flink", l.rest}, args...)...)
	var report struct {
		CapturedMs int64     `json:"captured_ms"`
		Jobs       []pastJob `json:"jobs"`
	}
	err := json.Unmarshal(stdout, &report)
	at := slices.IndexFunc(report.Jobs, func(j pastJob) bool { return j.ID == id })
	if err != nil || at < 0 {
		t.Fatalf("triage %s %v does not tell of %s: %v\n%.2000s", asked, args, id, err, stderr)
	}
	return report.Jobs[at], time.UnixMilli(report.CapturedMs)
}

// saysWhatRESTSays compares the verdict at the end of a stretch with that of REST at the same moment.
func (l *liveLab) saysWhatRESTSays(t *testing.T, prometheus string, since time.Time, jobs map[string]string) {
	for name, id := range jobs {
		t.Run("verdict of "+name, func(t *testing.T) {
			now, at := l.judged(t, id, id)
			time.Sleep(scrape + jitter) // the end of the stretch has been scraped
			past := l.past(t, prometheus, id, id, since, at)
			if now.Verdict != past.Verdict || !slices.Equal(loud(now), loud(past)) {
				t.Errorf("REST: %s %q\nPrometheus: %s %q", now.Verdict, loud(now), past.Verdict, loud(past))
			}
		})
	}
}

// loud are the findings of a job that are no mere information.
func loud(j pastJob) (out []string) {
	for _, f := range j.Findings {
		if f.Severity != "info" {
			out = append(out, fmt.Sprint(f.Code, f.Severity, f.Vertex.Name, f.Split, f.Subtasks))
		}
	}
	slices.Sort(out)
	return out
}

// until waits for something that a cluster does in its own time.
func (l *liveLab) until(what string, done func() bool) {
	l.t.Helper()
	for range 240 {
		if done() {
			return
		}
		time.Sleep(time.Second)
	}
	l.t.Fatalf("waited 4 minutes for: %s", what)
}

func (l *liveLab) taskmanagers() int {
	var overview struct {
		N int `json:"taskmanagers"`
	}
	_ = call(http.MethodGet, l.rest+"/overview", nil, &overview)
	return overview.N
}

// begins waits until a job runs again after a moment, and gives when it began to.
func (l *liveLab) begins(job string, after time.Time) (at time.Time) {
	l.t.Helper()
	l.until("the job runs again", func() bool {
		var one struct {
			State      string           `json:"state"`
			Timestamps map[string]int64 `json:"timestamps"`
		}
		_ = call(http.MethodGet, l.rest+"/jobs/"+job, nil, &one)
		at = time.UnixMilli(one.Timestamps["RUNNING"])
		return one.State == "RUNNING" && at.After(after)
	})
	return at
}
