package sqlplan

import "maps"

// hints are the OPTIONS that queries put behind a table's name.
type hints struct {
	reads, hinted int
	options       map[string]option
}

// readHints notes the hints of a query or view.
func (r *reader) readHints(s *statement) {
	if s.body < 0 {
		return
	}
	t := s.tokens[s.body:]
	for i := 1; i < len(t); i++ {
		if !t[i].isName() || !(t[i-1].is("FROM") || t[i-1].is("JOIN") || t[i-1].is("TABLE") || t[i-1].isSymbol(",")) {
			continue
		}
		path, next := nameAt(t, i)
		h := r.hints[last(path)]
		if h == nil {
			h = &hints{options: map[string]option{}}
			r.hints[last(path)] = h
		}
		h.reads++
		if options := hintOptions(t[next-1]); len(options) > 0 {
			h.hinted++
			maps.Copy(h.options, options)
		}
	}
}

// hintOptions reads OPTIONS('k' = 'v', …) of a hint; the places are that of the token before it.
func hintOptions(at token) map[string]option {
	tokens, broken := lex(at.hint)
	i := find(tokens, 0, "OPTIONS")
	if broken != nil || i < 0 || i+1 >= len(tokens) || !tokens[i+1].isSymbol("(") {
		return nil
	}
	t := table{options: map[string]option{}}
	t.readOptions(tokens[i+2 : closing(tokens, i+1)])
	for k, o := range t.options {
		t.options[k] = option{o.value, at}
	}
	return t.options
}

// withHints is a table with the options of its hints, where every query that reads it has one.
func (r *reader) withHints(t table) table {
	h := r.hints[last(t.name)]
	if h == nil || h.hinted == 0 || h.hinted < h.reads {
		return t
	}
	options := maps.Clone(t.options)
	maps.Copy(options, h.options)
	t.options = options
	return t
}
