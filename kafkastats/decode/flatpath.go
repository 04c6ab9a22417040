package decode

import "strings"

// flatPath finds a whole number in a JSON object without gjson: one pass over the bytes up to the
// field. It only understands compact, well-formed text and plain names; everything else,
// including an absent field, is left to gjson, whose answers it never contradicts.
type flatPath struct {
	names  []string // outermost first; nil: leave the path to gjson
	shape  shape
	missed uint // records without the shape
}

// newFlatPath accepts names joined by dots, without characters that are special to gjson.
func newFlatPath(path string) *flatPath {
	names := strings.Split(path, ".")
	for _, name := range names {
		if name == "" {
			return &flatPath{}
		}
		for i := range len(name) {
			c := name[i]
			if c != '_' && c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
				return &flatPath{}
			}
		}
	}
	return &flatPath{names: names}
}

// number returns the field's value if it is a whole number of 9 to 18 digits.
func (f *flatPath) number(b []byte) (n int64, ok bool) {
	if len(f.names) == 0 {
		return 0, false
	}
	if i := f.shape.find(b); i > 0 {
		return whole(b, i)
	}
	i := f.find(b)
	if i < 0 {
		return 0, false
	}
	// Records of two alternating kinds must not learn a new shape each time.
	if f.missed++; f.missed%16 == 1 && len(f.names) == 1 {
		f.shape.learn(b, f.names[0])
	}
	return whole(b, i)
}

// find returns the position of the field's value, -1 if it is not plain.
func (f *flatPath) find(b []byte) int {
	i := blank(b, 0)
	for _, name := range f.names {
		if i >= len(b) || b[i] != '{' {
			return -1
		}
		if i = member(b, i+1, name); i < 0 {
			return -1
		}
	}
	return i
}

// whole reads 9 to 18 digits at i if the value ends after them.
func whole(b []byte, i int) (n int64, ok bool) {
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
