package decode

import (
	"encoding/binary"
	"math/bits"
)

// member returns the position of the value of the first member with a name; i is after the brace.
// -1: there is none, or the text is not plain enough.
func member(b []byte, i int, name string) int {
	for {
		i = blank(b, i)
		if i >= len(b) || b[i] != '"' {
			return -1
		}
		start := i + 1
		i = quote(b, start)
		if i < 0 || b[i] != '"' {
			return -1
		}
		key := b[start:i]
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

// value returns the position after the value at i, -1 if it is not plain.
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

// text returns the position after the closing quote of a string; i is after the opening one.
func text(b []byte, i int) int {
	for {
		if i = quote(b, i); i < 0 {
			return -1
		}
		if b[i] == '"' {
			return i + 1
		}
		i += 2
	}
}

// quote returns the position of the next quote or backslash from i on, -1 if there is none. It
// examines eight bytes at once: a byte equal to the wanted one becomes zero, and subtracting one
// from each then borrows its top bit.
func quote(b []byte, i int) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(b); i += 8 {
		word := binary.LittleEndian.Uint64(b[i:])
		q, s := word^('"'*ones), word^('\\'*ones)
		if found := ((q-ones)&^q | (s-ones)&^s) & tops; found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for ; i < len(b); i++ {
		if b[i] == '"' || b[i] == '\\' {
			return i
		}
	}
	return -1
}

// nested returns the position after the bracket that closes the one at i.
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
		case '(', ')': // not JSON, but brackets to gjson
			return -1
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
