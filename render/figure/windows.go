package figure

import (
	"fmt"

	"tidemark/engine/simulate"
	"tidemark/internal/units"
	"tidemark/render/doc"
	"tidemark/render/safe"
	"tidemark/render/words"
)

// The largest number of windows drawn, and of slices of each in the table. The slices add up to the totals.
const (
	mostPanels = 6
	mostSlices = 40
)

// panel is one window operator under one strategy.
type panel struct {
	name string
	w    simulate.Window
}

// Windows draws what each window operator fired over time. Late records are dots at the moment of their arrival, as high
// as they were behind the watermark.
func Windows(r *simulate.Result) []doc.Block {
	all, f := panelsOf(r), figure{ID: "windows", Title: "Windows fired and late records"}
	if len(all) == 0 {
		return nil
	}
	from, to := r.Input.StartMs, r.Input.EndMs
	fired := false
	for _, p := range all {
		for _, b := range p.w.Bars {
			fired, to = true, max(to, b.At)
		}
		fired = fired || len(p.w.LateRecords) > 0
	}
	if !fired || to <= from {
		f.Missing = "No window fired and no record was late: the watermark passed no window's end."
		if to <= from {
			f.Missing = "All records came at one moment: there is no time to draw."
		}
		return f.blocks()
	}
	shown := all[:min(len(all), mostPanels)]
	f.Desc = "Windows fired over time, and late records by how far behind the watermark they came."
	for _, p := range shown {
		f.Desc += " " + safe.Short(p.name, 60) + ": " + p.summary() + "."
	}
	for _, p := range shown {
		f.Tables = append(f.Tables, p.table(from, to))
	}
	f.Legend = legendOf(shown)
	f.Note = "From " + words.Clock(from) + " to " + words.Clock(to) + " on the clock. The height of a bar is the number of records in its windows."
	if most := furthest(shown); most >= 0 {
		f.Note += " The height of a dot is how far its records were behind the watermark on arrival, at most."
	}
	if count(shown, simulate.Missed) > 0 {
		f.Note += " Flink has no metric for a record that only some of its windows missed."
	}
	if left := all[len(shown):]; len(left) > 0 {
		f.Note += fmt.Sprintf(" Not drawn: %s and all after it (%d); the tables of windows have them.", safe.Short(left[0].name, 60), len(left))
	}
	f.Text = func(width int) []string { return windowLines(shown, from, to, width) }
	height := 30.0
	for _, p := range shown {
		height += p.height()
	}
	f.draw(height, height, func(c *Canvas) { drawWindows(c, shown, from, to) })
	return f.blocks()
}

func panelsOf(r *simulate.Result) (all []panel) {
	for _, s := range r.Strategies {
		for _, w := range s.Windows {
			all = append(all, panel{s.Name + ", " + w.Window, w})
		}
	}
	return all
}

// kinds are the kinds of late records in the panel.
func (p panel) kinds() (out []simulate.Kind) {
	for _, k := range simulate.Kinds {
		if n, _ := p.w.LateOf(k); n > 0 {
			out = append(out, k)
		}
	}
	return out
}

func count(all []panel, k simulate.Kind) (n int64) {
	for _, p := range all {
		records, _ := p.w.LateOf(k)
		n += records
	}
	return n
}

// furthest is how far any record was behind the watermark at most, ms; -1 where none was late.
func furthest(all []panel) int64 {
	most := int64(-1)
	for _, p := range all {
		for _, l := range p.w.LateRecords {
			most = max(most, l.BehindMs)
		}
	}
	return most
}

func legendOf(all []panel) []key {
	keys := []key{{"win", "windows fired"}}
	for _, p := range all {
		for _, b := range p.w.Bars {
			if b.AtEnd > 0 {
				keys = []key{{"win", "windows fired"}, {"win end", "only by the end of the input"}}
			}
		}
	}
	for _, k := range simulate.Kinds {
		if count(all, k) > 0 {
			keys = append(keys, key{"lr " + string(k), KindText(k)})
		}
	}
	return keys
}

// slot is what happened in one of n equal parts of the time.
type slot struct {
	from                  int64
	fired, atEnd, records int64
	late                  map[simulate.Kind]int64
	behind                int64
}

func (p panel) slots(from, to int64, n int) []slot {
	all := make([]slot, n)
	for i := range all {
		all[i] = slot{from: from + int64(float64(to-from)*float64(i)/float64(n)), late: map[simulate.Kind]int64{}}
	}
	for _, b := range p.w.Bars {
		s := &all[cellOf(b.At, from, to, n)]
		s.fired, s.atEnd, s.records = s.fired+b.Fired, s.atEnd+b.AtEnd, s.records+b.Records
	}
	for _, l := range p.w.LateRecords {
		s := &all[cellOf(l.At, from, to, n)]
		s.late[l.Kind] += l.Records
		s.behind = max(s.behind, l.BehindMs)
	}
	return all
}

// table has a row for each slice in which something happened, and a column for each kind of late record that occurred.
func (p panel) table(from, to int64) doc.Table {
	t := doc.Table{Title: p.name, Columns: doc.Columns("from", "windows fired", "records in them")}
	kinds := p.kinds()
	for _, k := range kinds {
		t.Columns = append(t.Columns, doc.Column{Name: KindText(k)})
	}
	slots, atEnd := p.slots(from, to, mostSlices), int64(0)
	for _, s := range slots {
		atEnd += s.atEnd
	}
	if len(kinds) > 0 {
		t.Columns = append(t.Columns, doc.Column{Name: "furthest behind"})
	}
	if atEnd > 0 {
		t.Columns = append(t.Columns, doc.Column{Name: "by the end of the input"})
	}
	for i := range t.Columns {
		t.Columns[i].Number = i > 0
	}
	number := func(n int64) doc.Cell { return doc.Cell{Text: units.Count(n), Value: fmt.Sprint(n)} }
	for _, s := range slots {
		if s.fired == 0 && len(s.late) == 0 {
			continue
		}
		row := doc.Row{Cells: []doc.Cell{{Text: Moment(s.from, to-from > 20*60*60*1000), Value: fmt.Sprint(s.from)}, number(s.fired), number(s.records)}}
		for _, k := range kinds {
			row.Cells = append(row.Cells, number(s.late[k]))
		}
		switch {
		case len(s.late) > 0:
			row.Cells = append(row.Cells, doc.Cell{Text: units.Duration(s.behind), Value: fmt.Sprint(s.behind)})
		case len(kinds) > 0:
			row.Cells = append(row.Cells, doc.Cell{Text: "-"})
		}
		if atEnd > 0 {
			row.Cells = append(row.Cells, number(s.atEnd))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
