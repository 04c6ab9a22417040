package record

import (
	"encoding/binary"
	"math/bits"
)

// kcatLine reads the lines of kcat itself in one pass: few blanks, plain names, whole numbers,
// strings with short escapes. Everything else, including an error, is left to parseKcat, which
// gives the same result for every line read here, only four times slower.
type kcatLine struct {
	b            []byte
	i            int
	topic        string // of the last line: topics rarely change
	key, payload []byte // buffers for text with escapes
}

// read fills raw and reports whether it could; if not, raw may be partly filled. Key and Value
// are valid until the next call or until line changes.
func (k *kcatLine) read(line []byte, raw *Raw) bool {
	k.b, k.i = line, 0
	if !k.token('{') {
		return false
	}
	havePartition := false
	for {
		name, plain := k.text(nil)
		if name == nil || !plain || !k.token(':') {
			return false
		}
		k.blank()
		ok := false
		switch string(name) {
		case "topic":
			ok = k.name(raw)
		case "partition":
			var p int64
			p, ok = k.whole()
			ok = ok && p >= 0 && p <= 1<<30
			raw.Partition, havePartition = int32(p), true
		case "offset":
			raw.Offset, ok = k.whole()
		case "ts":
			raw.Timestamp, ok = k.whole()
		case "tstype":
			raw.Type, ok = k.tstype()
		case "key":
			raw.Key, ok = k.bytes(&k.key)
		case "payload":
			raw.Value, ok = k.bytes(&k.payload)
		case "headers":
			ok = false
		default:
			ok = k.skip()
		}
		if !ok {
			return false
		}
		if k.token(',') {
			k.blank()
			continue
		}
		if !k.token('}') || k.i != len(line) || !havePartition {
			return false
		}
		if raw.Timestamp < 0 {
			raw.Type = NoTimestamp
		}
		return true
	}
}

func (k *kcatLine) blank() {
	for k.i < len(k.b) && (k.b[k.i] == ' ' || k.b[k.i] == '\t') {
		k.i++
	}
}

// token skips c, after blanks, if it is next.
func (k *kcatLine) token(c byte) bool {
	k.blank()
	if k.i >= len(k.b) || k.b[k.i] != c {
		return false
	}
	k.i++
	return true
}

func (k *kcatLine) word(w string) bool {
	if len(k.b)-k.i < len(w) || string(k.b[k.i:k.i+len(w)]) != w {
		return false
	}
	k.i += len(w)
	return true
}

// name reads the topic; the string of the last line is reused if it is the same.
func (k *kcatLine) name(raw *Raw) bool {
	text, plain := k.text(nil)
	if text == nil || !plain {
		return false
	}
	if string(text) != k.topic {
		k.topic = string(text)
	}
	raw.Topic = k.topic
	return true
}

func (k *kcatLine) whole() (n int64, ok bool) {
	negative := k.word("-")
	start := k.i
	for k.i < len(k.b) && k.b[k.i]-'0' <= 9 {
		n = n*10 + int64(k.b[k.i]-'0')
		k.i++
	}
	digits := k.i - start
	if digits == 0 || digits > 18 || digits > 1 && k.b[start] == '0' || k.i >= len(k.b) || k.b[k.i] != ',' && k.b[k.i] != '}' {
		return 0, false
	}
	if negative {
		n = -n
	}
	return n, true
}

func (k *kcatLine) tstype() (TimestampType, bool) {
	text, plain := k.text(nil)
	if text == nil || !plain {
		return NoTimestamp, false
	}
	switch string(text) {
	case "create":
		return CreateTime, true
	case "logappend":
		return AppendTime, true
	case "unknown", "none", "":
		return NoTimestamp, true
	}
	return NoTimestamp, false
}

func (k *kcatLine) bytes(room *[]byte) ([]byte, bool) {
	if k.word("null") {
		return nil, true
	}
	text, _ := k.text(room)
	return text, text != nil
}

// skip skips a value that is not needed.
func (k *kcatLine) skip() bool {
	if k.word("null") || k.word("true") || k.word("false") {
		return true
	}
	if k.i < len(k.b) && k.b[k.i] == '"' {
		text, plain := k.text(nil)
		return text != nil && plain
	}
	_, ok := k.whole()
	return ok
}

// text reads a string and returns its bytes, never nil on success. Without escapes they are those
// of the line; with escapes they are written to room, and without room plain is false.
func (k *kcatLine) text(room *[]byte) (text []byte, plain bool) {
	if k.i >= len(k.b) || k.b[k.i] != '"' {
		return nil, false
	}
	k.i++
	start := k.i
	end := special(k.b, start)
	if end < 0 {
		return nil, false
	}
	if k.b[end] == '"' {
		k.i = end + 1
		return k.b[start:end:end], true
	}
	if room == nil {
		return nil, false
	}
	out := (*room)[:0]
	for {
		out = append(out, k.b[start:end]...)
		if k.b[end] == '"' {
			k.i = end + 1
			*room = out
			return out, false
		}
		c := byte(0)
		if k.b[end] == '\\' && end+1 < len(k.b) {
			c = escapes[k.b[end+1]]
		}
		if c == 0 {
			return nil, false
		}
		out = append(out, c)
		start = end + 2
		if end = special(k.b, start); end < 0 {
			return nil, false
		}
	}
}

// escapes are the single-letter escapes; \u is left to parseKcat.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// special returns the position of the next quote, backslash or control character from i on, -1 if
// there is none. It examines eight bytes at once: a byte that is zero after the exclusive or, or
// below a space, borrows its top bit.
func special(b []byte, i int) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		q, s := w^('"'*ones), w^('\\'*ones)
		if found := ((q-ones)&^q | (s-ones)&^s | (w-' '*ones)&^w) & tops; found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for ; i < len(b); i++ {
		if c := b[i]; c == '"' || c == '\\' || c < ' ' {
			return i
		}
	}
	return -1
}
