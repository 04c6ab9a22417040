package screen

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/lipgloss"

	"tidemark/analyze"
	"tidemark/internal/units"
	"tidemark/render"
	"tidemark/render/doc"
	"tidemark/render/safe"
)

// The parts of the screen next to its body: two lines of banner and a rule above, a rule, the newest changes
// and the keys below.
const (
	bannerLines = 3
	footLines   = 2
)

// lagCells holds "57 min 12 s".
const lagCells = 12

// logLines is how many changes are shown: more on a higher terminal.
func (m *Model) logLines() int { return min(len(m.s.Changes), max(1, m.height/12)) }

func (m *Model) bodyHeight() int { return max(1, m.height-bannerLines-footLines-m.logLines()) }

// View draws the whole screen: exactly its height in lines, none wider than it.
func (m *Model) View() string {
	lines := m.banner()
	lines = append(lines, m.t.Dim.Render(strings.Repeat("─", m.width)))
	body := m.body()
	n := m.bodyHeight()
	m.follow(len(body), n)
	for i := m.top; i < m.top+n; i++ {
		if i < len(body) {
			lines = append(lines, body[i])
		} else {
			lines = append(lines, "")
		}
	}
	lines = append(lines, m.t.Dim.Render(strings.Repeat("─", m.width)))
	for _, c := range m.s.Changes[len(m.s.Changes)-m.logLines():] {
		lines = append(lines, m.fit(units.Clock(c.At.UnixMilli())+" "+c.String()))
	}
	lines = append(lines, m.keys())
	lines = lines[:min(len(lines), m.height)]
	for i, l := range lines {
		if lipgloss.Width(l) > m.width { // a terminal narrower than the layout needs
			lines[i] = lipgloss.NewStyle().MaxWidth(m.width).Render(l)
		}
	}
	return strings.Join(lines, "\n")
}

// follow scrolls so that the selected line of the list is in sight, or the end of a text that became shorter.
func (m *Model) follow(total, n int) {
	if m.mode == list && m.s.Report != nil {
		at := m.at(m.jobs()) + 1 // below the head of the table
		switch {
		case at < m.top+1:
			m.top = at - 1
		case at >= m.top+n:
			m.top = at - n + 1
		}
	}
	m.top = max(0, min(m.top, total-n))
}

// fit cuts clean text to the width of the screen.
func (m *Model) fit(s string) string { return head(s, m.width) }

func head(s string, n int) string {
	if safe.Width(s) <= n {
		return s
	}
	return safe.Head(s, max(0, n-1)) + "…"
}

// banner is the verdict, always on top, and where and when it was read.
func (m *Model) banner() []string {
	since, silent := m.s.Silent(m.o.Now(), m.o.Every)
	read := "reading " + safe.Short(m.o.Cluster, 60)
	if m.s.Report != nil {
		read = fmt.Sprintf("%s  Flink %s  read %s UTC", safe.Short(m.o.Cluster, 50), safe.Short(m.s.Report.Cluster.FlinkVersion, 20), units.Clock(m.s.ReadAt.UnixMilli()))
	}
	if m.s.Renewed != "" {
		read = m.s.Renewed + "; " + read
	}
	if silent {
		text := "no answer yet"
		if !since.IsZero() {
			text = "no answer since " + units.Clock(since.UnixMilli()) + " UTC"
		}
		why := "the reading takes longer than usual"
		if m.s.Renewed != "" {
			why = m.s.Renewed + "; " + why
		}
		if m.s.Failed != nil {
			why = strings.TrimPrefix(m.s.Renewed+"; "+safe.Clean(m.s.Failed.Error()), "; ")
		}
		return []string{m.t.Paint(doc.Critical, m.fit(strings.ToUpper(text[:1])+text[1:]+"; what is shown is older")), m.t.Dim.Render(m.fit(why))}
	}
	if m.s.Report == nil {
		return []string{m.t.Strong.Render("tidemark watch"), m.t.Dim.Render(m.fit(read))}
	}
	if j := m.job(); j != nil && m.mode != list {
		return m.headline(j, read)
	}
	if jobs := render.ByVerdict(m.s.Report); len(jobs) > 0 {
		word := strings.ToUpper(string(jobs[0].Verdict))
		return []string{m.t.Paint(verdictTone(jobs[0].Verdict, false), word) + head("  "+render.Counts(m.s.Report), m.width-len(word)), m.t.Dim.Render(m.fit(read))}
	}
	return []string{m.t.Paint(doc.Incomplete, "no job is running"), m.t.Dim.Render(m.fit(read))}
}

// headline is the verdict of a job; if it needs two lines, the second replaces where it was read.
func (m *Model) headline(j *analyze.JobReport, read string) []string {
	word := strings.ToUpper(string(j.Verdict))
	lines := doc.Wrap(word+"  ", safe.Short(j.Label(), 40)+": "+safe.Clean(j.Headline), m.width)
	first := m.t.Paint(verdictTone(j.Verdict, false), word) + strings.TrimPrefix(m.fit(lines[0]), word)
	if len(lines) == 1 {
		return []string{first, m.t.Dim.Render(m.fit(read))}
	}
	rest := strings.TrimSpace(strings.Join(lines[1:], " "))
	return []string{first, m.fit("  " + rest + "  read " + units.Clock(m.s.ReadAt.UnixMilli()) + " UTC")}
}

// keys is the last line: the keys, the filter while it is typed, or the result of a key.
func (m *Model) keys() string {
	if m.filtering {
		return head(safe.Clean("/"+m.filter.Value()), m.width-1) + "█"
	}
	if m.said != "" {
		return m.t.Strong.Render(m.fit(m.said))
	}
	text := map[mode]string{
		list:     "enter open  / filter  e explain  y copy fix  s snapshot  o page  ? help  q quit",
		jobMode:  "y copy fix  e explain  n next finding  s snapshot  o page  esc back  q quit",
		textMode: "esc back  q quit",
	}[m.mode]
	if v := m.filter.Value(); v != "" && m.mode == list {
		text = "only " + safe.Short(v, 30) + " (esc: all)  " + text
	}
	return m.t.Dim.Render(m.fit(text))
}

func (m *Model) body() []string {
	switch {
	case m.mode == textMode:
		var out []string
		if m.title != "" {
			out = append(out, m.t.Strong.Render(m.title))
		}
		for _, l := range m.pages {
			out = append(out, m.fit(safe.Clean(l)))
		}
		return out
	case m.s.Report == nil:
		return nil
	case m.mode == jobMode:
		if j := m.job(); j != nil {
			return m.jobBody(j)
		}
		return []string{"The job is no longer listed."}
	}
	return m.listBody()
}

// listBody is the jobs, one line each.
func (m *Model) listBody() []string {
	jobs := m.jobs()
	strip := max(10, min(60, m.width/6))
	rest := m.width - 2 - 11 - lagCells - strip - 3
	name := max(10, rest/2)
	where := max(10, rest-name)
	cell := func(s string, n int) string { return safe.Pad(safe.Short(s, n), n) }
	out := []string{m.t.Dim.Render(m.fit("  " + cell("job", name) + " " + cell("verdict", 11) + cell("where", where) + " " + cell("lag", lagCells) + " lag so far"))}
	at := m.at(jobs)
	_, silent := m.s.Silent(m.o.Now(), m.o.Every)
	for i, j := range jobs {
		mark := " "
		if i == at {
			mark = ">"
		}
		if m.s.changed[j.ID] {
			mark += "*"
		} else {
			mark += " "
		}
		verdict := cell(strings.ToUpper(string(j.Verdict)), 11)
		line := cell(j.Label(), name)
		if i == at {
			line = m.t.Strong.Render(line)
		}
		out = append(out, mark+line+" "+m.t.Paint(verdictTone(j.Verdict, silent), verdict)+cell(Where(j), where)+" "+cell(lagOf(j), lagCells)+" "+m.paintStrip(m.went.strip(j.ID, worstVertex(j), "", strip), strip))
	}
	if len(jobs) == 0 {
		out = append(out, m.fit("  no job holds "+safe.Short(m.filter.Value(), 40)))
	}
	return out
}
