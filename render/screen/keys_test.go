package screen

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"tidemark/analyze"
	"tidemark/analyze/series"
)

func TestKeysActOnTheFinding(t *testing.T) {
	c := &cluster{jobs: []job{{"orders", true}}}
	m := newModel(c)
	copied := ""
	m.o.Copy = func(s string) { copied = s }
	m.o.Snapshot = func(j *analyze.JobReport) (string, error) { return j.Name + ".jsonl.gz", nil }
	m.o.Page = func(r *analyze.Report) (string, error) { return "", errors.New("disk \x1b[31mfull") }
	refresh(m, c)
	refresh(m, c)
	press(m, "enter", "y")
	if copied != ".withIdleness(Duration.ofMinutes(1))" || !strings.Contains(sized(t, m, 80, 24), "copied the DataStream fix of TM102") {
		t.Errorf("copied %q", copied)
	}
	for key, want := range map[string]string{"s": "recorded in orders.jsonl.gz", "o": "disk \\x1b[31mfull"} {
		_, cmd := m.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(key)})
		if cmd == nil {
			t.Fatalf("%s does nothing", key)
		}
		m.Update(cmd())
		if view := sized(t, m, 80, 24); !strings.Contains(view, want) {
			t.Errorf("%s says %q", key, strings.Split(view, "\n")[23])
		}
	}
	press(m, "e")
	if view := sized(t, m, 80, 24); !strings.Contains(view, "TM102 idle-split") {
		t.Errorf("no explanation:\n%s", view)
	}
	press(m, "ctrl+c")
	if !errors.Is(m.err, ErrInterrupted) {
		t.Error("ctrl-c is not an interrupt")
	}
}

// A page is written while readings continue: it shows the history as it was when its key was pressed. With
// -race this finds whoever changes what the page reads.
func TestAPageKeepsItsHistoryWhileReadingsGoOn(t *testing.T) {
	c := &cluster{jobs: []job{{"orders", false}}}
	m := newModel(c)
	for range keep + 20 { // full: each reading from here on moves those that are kept
		refresh(m, c)
	}
	began, stop := make(chan struct{}), make(chan struct{})
	m.o.Page = func(r *analyze.Report) (string, error) {
		timeline := r.Jobs[0].Timeline
		first := sum(timeline)
		close(began)
		for again := first; ; runtime.Gosched() {
			if again = sum(timeline); again != first {
				return "", errors.New("the history changed")
			}
			select {
			case <-stop:
				return "page.html", nil
			default:
			}
		}
	}
	_, cmd := m.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("o")})
	said := make(chan tea.Msg)
	go func() { said <- cmd() }()
	<-began
	for i := range 40 {
		c.jobs[0].stuck = i%2 == 0
		refresh(m, c)
		m.went.Note(m.s.Report.Jobs[0].ID, series.Event{Kind: series.Silence})
	}
	close(stop)
	if got := <-said; got != saidMsg("page written to page.html") {
		t.Errorf("the page says %q", got)
	}
}

// sum is a number of all that a timeline shows.
func sum(t *series.Timeline) (n int64) {
	for _, e := range t.Events {
		n += e.At.UntilMs + 1
	}
	for _, track := range t.Tracks {
		for _, r := range track.Readings {
			n += r.AtMs
		}
		for _, c := range track.Changes {
			n += c.Since.UntilMs + 1
		}
	}
	return n + t.UntilMs
}
