package profile

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"

	"tidemark/kafkastats/measure"
)

// Key says what was measured and how; profiles with different keys cannot be merged.
type Key struct {
	Topic    string  `json:"topic"`
	TopicID  string  `json:"topic_id,omitempty"` // hex; a topic that was deleted and created again has another
	Format   string  `json:"format"`
	Field    string  `json:"field"`
	Unit     string  `json:"unit"`
	Zone     string  `json:"zone"`
	FutureMs int64   `json:"future_ms"`
	IdleMs   int64   `json:"idle_ms"`
	Windows  []int64 `json:"windows"`
}

// diff lists the differences of two keys; empty: none.
func (k Key) diff(o Key) string {
	var out []string
	for _, f := range []struct {
		name string
		a, b any
	}{
		{"topic", k.Topic, o.Topic}, {"format", k.Format, o.Format}, {"field", k.Field, o.Field}, {"unit", k.Unit, o.Unit}, {"zone", k.Zone, o.Zone},
		{"future tolerance (ms)", k.FutureMs, o.FutureMs}, {"idle timeout (ms)", k.IdleMs, o.IdleMs},
	} {
		if f.a != f.b {
			out = append(out, fmt.Sprintf("%s %#v and %#v", f.name, f.a, f.b))
		}
	}
	if !slices.Equal(k.Windows, o.Windows) {
		out = append(out, fmt.Sprintf("windows (ms) %v and %v", k.Windows, o.Windows))
	}
	if k.Topic == o.Topic && k.TopicID != "" && o.TopicID != "" && k.TopicID != o.TopicID {
		out = append(out, fmt.Sprintf("topic ids %s and %s: the topic was deleted and created anew, its offsets start again", k.TopicID, o.TopicID))
	}
	return strings.Join(out, ", ")
}

// line is one line of the file: the header first, then the counts of each flush. A tail is what
// an observation could decide only because it ended; the next line replaces it.
type line struct {
	Version   int                  `json:"version,omitempty"`
	Key       *Key                 `json:"key,omitempty"`
	Counted   *measure.Measurement `json:"counted,omitempty"`
	Positions map[int32]int64      `json:"positions,omitempty"`
	State     *measure.State       `json:"state,omitempty"`
	Tail      *measure.Measurement `json:"tail,omitempty"`
}

// packFrom is the size from which on a line is compressed; a shorter one stays readable.
const packFrom = 4096

// maxLine limits the uncompressed size of a line.
const maxLine = 1 << 30

// text is the line as in the file: checksum, space, JSON or base64 of gzipped JSON.
func (l line) text() ([]byte, error) {
	body, err := json.Marshal(l)
	if err != nil {
		return nil, err
	}
	if len(body) >= packFrom {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		if _, err = z.Write(body); err == nil {
			err = z.Close()
		}
		if err != nil {
			return nil, err
		}
		body = []byte(base64.StdEncoding.EncodeToString(packed.Bytes()))
	}
	return append(append(fmt.Appendf(nil, "%08x ", crc32.ChecksumIEEE(body)), body...), '\n'), nil
}

func parse(text []byte) (line, error) {
	var l line
	body, whole := bytes.CutSuffix(text, []byte("\n"))
	if !whole || len(body) < 10 || body[8] != ' ' {
		return l, errors.New("not a whole line of a profile")
	}
	sum := string(body[:8])
	if body = body[9:]; sum != fmt.Sprintf("%08x", crc32.ChecksumIEEE(body)) {
		return l, errors.New("the line does not match its checksum")
	}
	if body[0] != '{' {
		z, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, bytes.NewReader(body)))
		if err == nil {
			body, err = io.ReadAll(io.LimitReader(z, maxLine))
		}
		if err != nil {
			return l, fmt.Errorf("not a line of a profile: %w", err)
		}
	}
	if err := json.Unmarshal(body, &l); err != nil {
		return l, fmt.Errorf("not a line of a profile: %w", err)
	}
	return l, nil
}
