package screen

import (
	tea "github.com/charmbracelet/bubbletea"

	"tidemark/analyze"
	"tidemark/render/safe"
)

func (m *Model) filterKey(k tea.KeyMsg) tea.Cmd {
	switch k.Type {
	case tea.KeyEnter:
		m.filtering = false
		m.filter.Blur()
		return nil
	case tea.KeyEsc:
		m.filtering = false
		m.filter.Blur()
		m.filter.SetValue("")
		return nil
	}
	var cmd tea.Cmd
	m.filter, cmd = m.filter.Update(k)
	m.top = 0
	return cmd
}

// key does what a key asks for.
func (m *Model) key(k string) tea.Cmd {
	switch k {
	case "q":
		return tea.Quit
	case "?":
		m.show("Keys", helpLines)
	case "esc", "backspace", "left", "h":
		m.leave()
	case "up", "k":
		m.move(-1)
	case "down", "j":
		m.move(1)
	case "pgup", "ctrl+b":
		m.move(-m.bodyHeight())
	case "pgdown", "ctrl+f", " ":
		m.move(m.bodyHeight())
	case "home", "g":
		m.move(-1 << 20)
	case "end", "G":
		m.move(1 << 20)
	case "/":
		if m.mode == list {
			m.filtering = true
			return m.filter.Focus()
		}
	case "enter", "right", "l":
		if m.mode == list && m.selected() != nil {
			m.mode, m.open, m.finding, m.top = jobMode, m.selected().ID, 0, 0
		}
	case "n", "tab":
		if j := m.job(); j != nil && m.mode == jobMode && len(j.Findings) > 0 {
			m.finding = (m.finding + 1) % len(j.Findings)
		}
	case "e", "y", "s", "o":
		return m.act(k)
	}
	return nil
}

func (m *Model) leave() {
	switch m.mode {
	case textMode:
		m.mode, m.top = m.back, 0
	case jobMode:
		m.mode, m.top = list, 0
	case list:
		m.filter.SetValue("")
	}
}

// move moves the selection of the list, or scrolls a longer text.
func (m *Model) move(by int) {
	if m.mode != list {
		m.top = max(0, min(m.top+by, len(m.body())-m.bodyHeight()))
		return
	}
	jobs := m.jobs()
	if len(jobs) == 0 {
		return
	}
	at := max(0, min(m.at(jobs)+by, len(jobs)-1))
	m.cursor = jobs[at].ID
}

func (m *Model) show(title string, lines []string) {
	if m.mode != textMode {
		m.back = m.mode
	}
	m.mode, m.title, m.pages, m.top = textMode, title, lines, 0
}

// act opens an explanation, or writes to the clipboard or a file.
func (m *Model) act(k string) tea.Cmd {
	j := m.selected()
	if m.mode == textMode || j == nil {
		return nil
	}
	switch k {
	case "e":
		f := m.shown()
		if f == nil {
			m.said = "no finding to explain"
			return nil
		}
		m.explain(f.Code)
	case "y":
		m.copyFix()
	case "s":
		one := *j
		return func() tea.Msg { return told("recorded in ", m.o.Snapshot, &one) }
	case "o":
		r := *m.s.Report
		r.Jobs = []analyze.JobReport{*j}
		m.went.Attach(&r)
		if went := r.Jobs[0].Timeline; went != nil { // readings continue while the page is written
			r.Jobs[0].Timeline = went.Clone()
		}
		return func() tea.Msg { return told("page written to ", m.o.Page, &r) }
	}
	return nil
}

func told[T any](what string, do func(*T) (string, error), of *T) tea.Msg {
	path, err := do(of)
	if err != nil {
		return saidMsg(safe.Clean(err.Error()))
	}
	return saidMsg(what + safe.Clean(path))
}
