package decode

// shape is what the records of one producer have in common: the text around the values before the
// field, blanks included. Comparing with it is several times faster than reading the names, and
// finds the same value or nothing.
type shape struct {
	lead  []string // `{"id":`, `,"customer":` ... one for each preceding member
	field string   // `,"event_time":`; empty: not learned yet
}

// find returns the position of the field's value; 0 if the record has another shape.
func (s *shape) find(b []byte) int {
	if s.field == "" {
		return 0
	}
	i := 0
	for _, lead := range s.lead {
		if len(b)-i <= len(lead) || string(b[i:i+len(lead)]) != lead {
			return 0
		}
		i += len(lead)
		if b[i] == '"' {
			if i = quote(b, i+1); i < 0 || b[i] != '"' {
				return 0
			}
			i++
			continue
		}
		start := i
		for i < len(b) && (b[i]-'0' <= 9 || b[i] == '.') {
			i++
		}
		if i == start {
			if i = value(b, i); i < 0 {
				return 0
			}
		}
	}
	if len(b)-i <= len(s.field) || string(b[i:i+len(s.field)]) != s.field {
		return 0
	}
	return i + len(s.field)
}

// learn stores the shape of a record that has the field at its top level.
func (s *shape) learn(b []byte, name string) {
	next := shape{}
	for i, open := 0, byte('{'); ; open = ',' {
		start := i
		if i = blank(b, i); i >= len(b) || b[i] != open {
			return
		}
		if i = blank(b, i+1); i >= len(b) || b[i] != '"' {
			return
		}
		begin := i + 1
		end := quote(b, begin)
		if end < 0 || b[end] != '"' {
			return
		}
		if i = blank(b, end+1); i >= len(b) || b[i] != ':' {
			return
		}
		i = blank(b, i+1)
		if string(b[begin:end]) == name {
			next.field = string(b[start:i])
			*s = next
			return
		}
		next.lead = append(next.lead, string(b[start:i]))
		if i = value(b, i); i < 0 {
			return
		}
	}
}
