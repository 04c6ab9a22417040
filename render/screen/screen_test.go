package screen

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/render/doc"
)

// A connection that was restarted is said above, also while there is no answer through it.
func TestAConnectionStartedAnewIsSaid(t *testing.T) {
	c := &cluster{jobs: []job{{"orders", false}}}
	m := newModel(c)
	refresh(m, c)
	again := c.next()
	again.Renewed = "kubectl"
	m.Update(readMsg(again))
	want := "kubectl had ended, restarted at 12:03:31 UTC"
	if view := sized(t, m, 120, 24); !strings.Contains(strings.Join(strings.Split(view, "\n")[:3], "\n"), want) {
		t.Errorf("the banner lacks %q:\n%s", want, view)
	}
	m.Update(readMsg{At: c.at(), Err: errors.New("connection refused")})
	if view := sized(t, m, 120, 24); !strings.Contains(view, want+"; connection refused") {
		t.Errorf("without an answer:\n%s", view)
	}
}

// Jobs that share a name are distinguished in the list, above a job, and in what changed.
func TestJobsOfANameCarryTheirIDs(t *testing.T) {
	c := &cluster{jobs: []job{{"orders", true}, {"orders", false}, {"clicks", false}}}
	m := newModel(c)
	refresh(m, c)
	c.jobs[1].stuck = true
	refresh(m, c)
	one, two := "orders (00000000000000000000000000000001)", "orders (00000000000000000000000000000002)" // their ids differ at the end alone
	view := sized(t, m, 250, 24)
	if !strings.Contains(view, one) || !strings.Contains(view, two+"  HEALTHY -> CRITICAL") || strings.Contains(view, "clicks (") {
		t.Errorf("the list:\n%s", view)
	}
	press(m, "enter")
	if first := strings.Split(sized(t, m, 250, 24), "\n")[0]; !strings.Contains(first, one[len(one)-10:]) {
		t.Errorf("above the job: %q", first)
	}
	press(m, "esc", "/")
	press(m, "0", "0", "0", "2", ")", "enter")
	if view := sized(t, m, 250, 24); strings.Contains(strings.Join(strings.Split(view, "\n")[:10], "\n"), one) {
		t.Errorf("filtered by the id:\n%s", view)
	}
}

func TestTheScreenFitsEverySize(t *testing.T) {
	c := &cluster{jobs: []job{{"orders-enriched-with-a-very-long-name-that-fits-nowhere", true}, {"clicks", false}}}
	m := newModel(c)
	for range 3 {
		refresh(m, c)
	}
	for _, size := range [][2]int{{80, 24}, {132, 43}, {250, 70}, {40, 12}, {20, 8}} {
		for _, keys := range [][]string{{}, {"enter"}, {"e"}, {"esc", "esc"}, {"?"}, {"esc"}} {
			press(m, keys...)
			sized(t, m, size[0], size[1])
		}
	}
	view := sized(t, m, 80, 24)
	if !strings.Contains(strings.Split(view, "\n")[0], "2 jobs: 1 critical, 1 healthy") {
		t.Errorf("the first line is %q", strings.Split(view, "\n")[0])
	}
	if at := strings.Index(view, "orders-enr"); at < 0 || at > strings.Index(view, "clicks") {
		t.Error("the worst job is not first")
	}
}

func TestAJobShowsTheWayToItsHolder(t *testing.T) {
	c := &cluster{jobs: []job{{"orders", true}}}
	m := newModel(c)
	refresh(m, c)
	refresh(m, c)
	press(m, "enter")
	view := sized(t, m, 100, 30)
	for _, want := range []string{"X Source: orders x2", "X │ orders-1", "X └ Window x2", "  │ orders-0", "> ", "withIdleness"} {
		if !strings.Contains(view, want) {
			t.Errorf("%q is not shown:\n%s", want, view)
		}
	}
	if !strings.Contains(strings.Split(view, "\n")[0], "orders: Partition orders-1 is silent") {
		t.Error("the verdict is not on top")
	}
	press(m, "end")
	if top := strings.Split(sized(t, m, 60, 14), "\n")[0]; !strings.Contains(top, "Partition orders-1") {
		t.Errorf("scrolled, the first line is %q", top)
	}
}

func TestAJobShowsWhatIsAcknowledged(t *testing.T) {
	c := &cluster{jobs: []job{{"orders", true}}}
	m := newModel(c)
	r := c.next()
	j := &r.Report.Jobs[0]
	j.Verdict, j.Findings = analyze.VerdictAcknowledged, nil
	j.Acknowledged = []analyze.Acknowledged{{Finding: catalog.Finding{Code: "TM102", Summary: "Partition orders-1 is silent"}, Acceptance: catalog.Acceptance{Reason: "opens in January", Until: "2026-12-31"}}}
	m.Update(readMsg(r))
	if view := sized(t, m, 100, 30); !strings.Contains(view, "ACKNOWLEDGED") {
		t.Errorf("the list does not say it:\n%s", view)
	}
	press(m, "enter")
	if view := sized(t, m, 100, 30); !strings.Contains(view, "TM102  Partition orders-1 is silent. Until 2026-12-31: opens in January") {
		t.Errorf("the job does not show it:\n%s", view)
	}
}

// While there is no answer nothing is green, and the first line says since when.
func TestNothingStaysGreenWithoutAnAnswer(t *testing.T) {
	c := &cluster{jobs: []job{{"clicks", false}}}
	m := newModel(c)
	refresh(m, c)
	refresh(m, c)
	green := "\x1b[32m"
	if view := sized(t, m, 80, 24); !strings.Contains(view, green) {
		t.Fatalf("a healthy job is not green: %q", view)
	}
	last := c.at().Format("15:04:05")
	for _, open := range []string{"list", "job"} {
		if open == "job" {
			press(m, "enter")
		}
		c.round++
		m.Update(readMsg{At: c.at(), Err: errors.New("connection refused\x1b[2J")})
		view := sized(t, m, 80, 24)
		if strings.Contains(view, green) {
			t.Errorf("%s: something is green: %q", open, view)
		}
		if !strings.Contains(view, "No answer since "+last) || strings.Contains(view, "\x1b[2J") {
			t.Errorf("%s: banner %q", open, strings.Split(view, "\n")[:2])
		}
	}
	refresh(m, c)
	if view := sized(t, m, 80, 24); !strings.Contains(view, green) || strings.Contains(view, "No answer") {
		t.Error("an answer does not bring the colours back")
	}
	c.round += 4 // a reading that never comes back
	if view := sized(t, m, 80, 24); strings.Contains(view, green) || !strings.Contains(view, "No answer since") {
		t.Errorf("a reading that hangs is not noticed: %q", view)
	}
}

func TestChangesAreMarkedAndLogged(t *testing.T) {
	c := &cluster{jobs: []job{{"orders", false}, {"clicks", false}}}
	m := newModel(c)
	refresh(m, c)
	refresh(m, c)
	if strings.Contains(sized(t, m, 100, 24), "*") || len(m.s.Changes) > 0 {
		t.Errorf("marked before anything changed: %v", m.s.Changes)
	}
	c.jobs[0].stuck = true
	refresh(m, c)
	view := sized(t, m, 100, 24)
	if !strings.Contains(view, ">*") && !strings.Contains(view, " *orders") || !strings.Contains(view, c.at().Format("15:04:05")+" orders  HEALTHY -> CRITICAL  Partition orders-1") {
		t.Errorf("not marked or logged:\n%s", view)
	}
	refresh(m, c)
	if view = sized(t, m, 100, 24); strings.Contains(view, "*") || !strings.Contains(view, "HEALTHY -> CRITICAL") {
		t.Errorf("the mark stays or the log goes:\n%s", view)
	}
	c.jobs = c.jobs[1:]
	refresh(m, c)
	if n := len(m.s.Changes); n < 2 {
		t.Errorf("%d changes after a job went", n)
	}
}

func TestFilterAndScrollHundredsOfJobs(t *testing.T) {
	c := &cluster{}
	for i := range 300 {
		c.jobs = append(c.jobs, job{fmt.Sprintf("job-%03d", i), i == 250})
	}
	m := newModel(c)
	refresh(m, c)
	refresh(m, c)
	view := sized(t, m, 80, 24)
	if !strings.Contains(view, "> job-250") && !strings.Contains(view, ">*job-250") && !strings.Contains(view, "job-250 ") {
		t.Errorf("the worst is not in sight:\n%s", view)
	}
	press(m, "end")
	if view = sized(t, m, 80, 24); !strings.Contains(view, "job-299") || strings.Contains(view, "job-001") {
		t.Errorf("the end is not in sight:\n%s", view)
	}
	press(m, "/", "2", "9", "7", "enter")
	if view = sized(t, m, 80, 24); !strings.Contains(view, "job-297") || strings.Contains(view, "job-298") {
		t.Errorf("the filter does not hold:\n%s", view)
	}
	press(m, "enter")
	if m.job() == nil || m.job().Name != "job-297" {
		t.Error("another job was opened than the filter shows")
	}
	press(m, "esc", "/", "q", "enter") // q is a letter there
	if view = sized(t, m, 80, 24); !strings.Contains(view, "no job holds 297q") {
		t.Errorf("%s", view)
	}
}

// Names are foreign: none of them may move the cursor or colour the screen.
func TestHostileNamesDoNotReachTheTerminal(t *testing.T) {
	c := &cluster{jobs: []job{{"a\x1b[2J\x1b]0;owned\a\u202e\r\nb", true}}}
	m := New(Options{Cluster: "http://x\x1b[H", Every: time.Second, Now: c.at}, doc.NewTheme(io.Discard, false))
	refresh(m, c)
	refresh(m, c)
	c.jobs[0].stuck = false
	refresh(m, c)
	for _, keys := range [][]string{{}, {"enter"}, {"esc", "/", "\x1b[2J", "enter"}} {
		press(m, keys...)
		if view := sized(t, m, 120, 30); strings.ContainsAny(view, "\x1b\a\r\u202e") {
			t.Errorf("after %v the screen holds %q", keys, view)
		}
	}
	var b bytes.Buffer
	l := Lines{W: &b}
	for range 2 {
		if err := l.Take(c.next()); err != nil {
			t.Fatal(err)
		}
	}
	if strings.ContainsAny(b.String(), "\x1b\a\r\u202e") || strings.Count(b.String(), "\n") != 1 {
		t.Errorf("the lines hold %q", b.String())
	}
}

func TestLinesTellChangesOnly(t *testing.T) {
	c := &cluster{jobs: []job{{"orders", false}, {"clicks", false}}}
	var text, objects bytes.Buffer
	lines, jsons := Lines{W: &text}, Lines{W: &objects, JSON: true}
	take := func(r Reading) {
		if err := errors.Join(lines.Take(r), jsons.Take(r)); err != nil {
			t.Fatal(err)
		}
	}
	take(c.next())
	take(c.next())
	c.jobs[0].stuck = true
	take(c.next())
	failed := Reading{At: c.at(), Err: errors.New("no leader")}
	take(failed)
	take(failed)
	take(c.next())
	want := `12:03:21  orders  HEALTHY  event time advances everywhere
12:03:21  clicks  HEALTHY  event time advances everywhere
12:03:41  orders  HEALTHY -> CRITICAL  Partition orders-1 is silent
12:03:41  no answer: no leader
12:03:51  answers again
`
	if text.String() != want {
		t.Errorf("said\n%swant\n%s", text.String(), want)
	}
	var last Change
	for i, line := range strings.Split(strings.TrimSpace(objects.String()), "\n") {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("line %d: %v", i, err)
		}
		if i == 2 {
			_ = json.Unmarshal([]byte(line), &last)
		}
	}
	if last.Job != "orders" || last.Was != analyze.VerdictHealthy || last.Where != "partition orders-1" {
		t.Errorf("the third object is %+v", last)
	}
}

// Ten thousand refreshes, with verdicts that change all the time, take no more memory than a thousand.
func TestMemoryStaysFlat(t *testing.T) {
	c := &cluster{jobs: []job{{"orders", false}, {"clicks", false}}}
	m := newModel(c)
	heap := func() uint64 {
		runtime.GC()
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return s.HeapAlloc
	}
	early := uint64(0)
	for i := range 10_000 {
		c.jobs[0].stuck = i/7%2 == 1
		refresh(m, c)
		if i%50 == 0 {
			m.View()
		}
		if i == 1000 {
			early = heap()
		}
	}
	if late := heap(); late > early+early/2+1<<20 {
		t.Errorf("%d bytes after 1,000 refreshes, %d after 10,000", early, late)
	}
	runtime.KeepAlive(m)
}
