package decode

import "strings"

// flatPath finds a whole number in a JSON object without gjson: one pass over the bytes up to the
// field and nothing behind it. It only understands compact, well-formed text up to there and plain
// names; whatever else it meets, a field that is absent included, is left to gjson, whose answers it
// never contradicts.
type flatPath struct {
	names []string // outermost first; nil: the path is gjson's own business
}

// newFlatPath accepts names joined by dots that mean nothing special to gjson.
func newFlatPath(path string) flatPath {
	names := strings.Split(path, ".")
	for _, name := range names {
		if name == "" {
			return flatPath{}
		}
		for i := range len(name) {
			c := name[i]
			if c != '_' && c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
				return flatPath{}
			}
		}
	}
	return flatPath{names}
}

// number gives the digits of the field's value when it is a whole number of 9 to 18 digits.
func (f flatPath) number(b []byte) (n int64, ok bool) {
	if len(f.names) == 0 {
		return 0, false
	}
	i := blank(b, 0)
	for _, name := range f.names {
		if i >= len(b) || b[i] != '{' {
			return 0, false
		}
		if i = member(b, i+1, name); i < 0 {
			return 0, false
		}
	}
	start := i
	for i < len(b) && b[i]-'0' <= 9 {
		n = n*10 + int64(b[i]-'0')
		if i++; i-start > 18 {
			return 0, false
		}
	}
	if i-start < 9 || i >= len(b) || b[start] == '0' {
		return 0, false
	}
	switch b[i] {
	case ',', '}', ' ', '\n', '\r', '\t':
		return n, true
	}
	return 0, false
}

// member gives the position of the value of the first member with a name; i is behind the brace.
// -1: there is none, or the text is not plain enough to tell.
func member(b []byte, i int, name string) int {
	for {
		i = blank(b, i)
		if i >= len(b) || b[i] != '"' {
			return -1
		}
		start := i + 1
		i = start
		for i < len(b) && b[i] != '"' {
			if b[i] == '\\' {
				return -1
			}
			i++
		}
		key := b[start:min(i, len(b))]
		i = blank(b, i+1)
		if i >= len(b) || b[i] != ':' {
			return -1
		}
		i = blank(b, i+1)
		if string(key) == name {
			return i
		}
		if i = value(b, i); i < 0 {
			return -1
		}
		i = blank(b, i)
		if i >= len(b) || b[i] != ',' {
			return -1
		}
		i++
	}
}

// value gives the position behind the value at i, -1 when it is not plain.
func value(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch c := b[i]; {
	case c == '"':
		return text(b, i+1)
	case c == '{' || c == '[':
		return nested(b, i)
	case c == '-' || c-'0' <= 9 || c == 't' || c == 'f' || c == 'n':
		for i < len(b) && b[i] != ',' && b[i] != '}' {
			switch b[i] {
			case '"', '{', '[', ']', ':', '\\':
				return -1
			}
			i++
		}
		return i
	}
	return -1
}

// text gives the position behind the quote that closes a string; i is behind the opening one.
func text(b []byte, i int) int {
	for i < len(b) {
		switch b[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
		i++
	}
	return -1
}

// nested gives the position behind the bracket that closes the one at i.
func nested(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			if i = text(b, i+1); i < 0 {
				return -1
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return -1
}

// blank skips white space.
func blank(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}
