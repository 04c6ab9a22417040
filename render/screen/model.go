package screen

import (
	"errors"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/render"
	"tidemark/render/doc"
)

// Options are what the view is made of.
type Options struct {
	Cluster string        // as the user named it
	Every   time.Duration // between two readings
	Color   bool
	Now     func() time.Time

	// Read waits for the next reading; it returns when ctx of the run ends. Called again after each.
	Read func() Reading
	// Snapshot writes what was read of a job, Page its report, into files, and return their names.
	Snapshot func(*analyze.JobReport) (path string, err error)
	Page     func(*analyze.Report) (path string, err error)
	// Copy puts text into the clipboard of the terminal.
	Copy func(text string)
}

// ErrInterrupted is a view that was left by ctrl-c.
var ErrInterrupted = errors.New("interrupted")

// mode is what the body of the screen shows.
type mode int

const (
	list mode = iota
	jobMode
	textMode // help, or an explanation
)

// Model is the program's state; it is bubbletea's tea.Model.
type Model struct {
	o             Options
	s             State
	went          past
	t             doc.Theme
	width, height int

	mode, back mode
	cursor     string // id of the selected job
	open       string // id of the job that is shown
	finding    int    // selected finding of that job
	top        int    // first line of the body that is shown
	filter     textinput.Model
	filtering  bool
	pages      []string // lines of an explanation or the help
	title      string
	said       string // answer to the last key, until the next
	err        error
}

type (
	readMsg Reading
	tickMsg struct{}
	saidMsg string
)

// New makes the view; t says how its terminal shows tones.
func New(o Options, t doc.Theme) *Model {
	f := textinput.New()
	f.Prompt, f.CharLimit = "/", 80
	return &Model{o: o, t: t, width: 80, height: 24, filter: f}
}

// Init starts the first reading, and the clock that detects missing ones.
func (m *Model) Init() tea.Cmd { return tea.Batch(m.read, m.tick()) }

func (m *Model) read() tea.Msg { return readMsg(m.o.Read()) }

func (m *Model) tick() tea.Cmd {
	return tea.Tick(time.Second, func(time.Time) tea.Msg { return tickMsg{} })
}

// Update takes in a reading, a key or a size.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case readMsg:
		if msg.Err == nil {
			m.went.take(Reading(msg))
		}
		if m.s.Take(Reading(msg)); m.s.Report == nil && msg.Err != nil { // the cluster never answered
			m.err = msg.Err
			return m, tea.Quit
		}
		return m, m.read
	case tickMsg:
		return m, m.tick()
	case saidMsg:
		m.said = string(msg)
	case tea.KeyMsg:
		m.said = ""
		if msg.Type == tea.KeyCtrlC {
			m.err = ErrInterrupted
			return m, tea.Quit
		}
		if m.filtering {
			return m, m.filterKey(msg)
		}
		return m, m.key(msg.String())
	}
	return m, nil
}

// jobs are the jobs that pass the filter, worst first.
func (m *Model) jobs() []*analyze.JobReport {
	if m.s.Report == nil {
		return nil
	}
	want := strings.ToLower(m.filter.Value())
	var out []*analyze.JobReport
	for _, j := range render.ByVerdict(m.s.Report) {
		if want == "" || strings.Contains(strings.ToLower(j.Label()+" "+j.ID+" "+string(j.Verdict)+" "+Where(j)), want) {
			out = append(out, j)
		}
	}
	return out
}

// at is the line of the selected job; the first if that job is gone.
func (m *Model) at(jobs []*analyze.JobReport) int {
	for i, j := range jobs {
		if j.ID == m.cursor {
			return i
		}
	}
	return 0
}

func (m *Model) selected() *analyze.JobReport {
	if m.mode != list {
		return m.job()
	}
	if jobs := m.jobs(); len(jobs) > 0 {
		return jobs[m.at(jobs)]
	}
	return nil
}

// job is the job that is shown, nil where it is gone.
func (m *Model) job() *analyze.JobReport {
	if m.s.Report == nil {
		return nil
	}
	for i := range m.s.Report.Jobs {
		if m.s.Report.Jobs[i].ID == m.open {
			return &m.s.Report.Jobs[i]
		}
	}
	return nil
}

// shown is the finding that keys refer to.
func (m *Model) shown() *catalog.Finding {
	j := m.selected()
	if j == nil || len(j.Findings) == 0 {
		return nil
	}
	if m.mode == jobMode {
		return &j.Findings[min(m.finding, len(j.Findings)-1)]
	}
	return &j.Findings[0]
}
