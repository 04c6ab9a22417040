package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// writeJSON writes v indented. The data stays as it is; characters that a terminal, an editor or the
// log of a build would act on are written as \uXXXX, which is the same JSON.
func writeJSON(b *bytes.Buffer, v any) error {
	var raw bytes.Buffer
	enc := json.NewEncoder(&raw)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	escapeHidden(b, commandMark.ReplaceAll(raw.Bytes(), []byte(`\u0023#$1[`)))
	return nil
}

// escapeHidden copies text and writes hidden characters as \uXXXX. It is right only where those can
// stand inside quoted strings alone.
func escapeHidden(b *bytes.Buffer, text []byte) {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case !hidden(r):
			b.Write(text[:size])
		case r > 0xFFFF:
			r -= 0x10000
			fmt.Fprintf(b, `\u%04x\u%04x`, 0xD800+r>>10, 0xDC00+r&0x3FF)
		default:
			fmt.Fprintf(b, `\u%04x`, r)
		}
		text = text[size:]
	}
}
