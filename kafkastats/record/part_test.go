package record

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"tidemark/request"
)

// rows is a source of records that arrive as written: partition:arrival, or partition:- without a timestamp.
type rows string

func (s rows) Read(_ context.Context, yield func(*Raw) error) error {
	for i, word := range strings.Fields(string(s)) {
		r := Raw{File: "f", Line: i + 1, Offset: int64(i), Type: CreateTime}
		if n, _ := fmt.Sscanf(word, "%d:%d", &r.Partition, &r.Timestamp); n < 2 {
			r.Type = NoTimestamp
		}
		if err := yield(&r); err != nil {
			return err
		}
	}
	return nil
}

// what a cut yields, those before the part in brackets.
func (c *Cut) yields(t *testing.T) string {
	t.Helper()
	var out []string
	err := c.Read(context.Background(), func(r *Raw) error {
		word := fmt.Sprintf("%d:%d", r.Partition, r.Timestamp)
		if r.PreRoll {
			word = "(" + word + ")"
		}
		out = append(out, word)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(out, " ")
}

func TestAFileIsCutAsABrokerCutsATopic(t *testing.T) {
	const all = "0:10 1:11 0:20 1:15 0:30 0:25 1:40 0:40"
	for name, v := range map[string]struct {
		part Part
		want string
		left *LeftOut
	}{
		"all":  {Part{}, all, nil},
		"from": {Part{FromMs: 20}, "(0:10) (1:11) 0:20 (1:15) 0:30 0:25 1:40 0:40", &LeftOut{3, 0}},
		// The first record at or after the end ends it, whatever comes behind.
		"to":   {Part{ToMs: 30}, "0:10 1:11 0:20 1:15", &LeftOut{0, 4}},
		"both": {Part{FromMs: 15, ToMs: 40}, "(0:10) (1:11) 0:20 1:15 0:30 0:25", &LeftOut{2, 2}},
	} {
		c := &Cut{Source: rows(all), Part: v.part}
		if got := c.yields(t); got != v.want {
			t.Errorf("%s: %s, want %s", name, got, v.want)
		}
		if got := c.LeftOut(); (got == nil) != (v.left == nil) || got != nil && *got != *v.left {
			t.Errorf("%s: left out %+v, want %+v", name, got, v.left)
		}
		if err := c.Empty(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	c := &Cut{Source: rows(all), Part: Part{FromMs: 50}}
	c.yields(t)
	if err := c.Empty(); err == nil || err.Error() != "none of the 8 records arrived from 1970-01-01T00:00:00.050Z on" {
		t.Error(err)
	}
}

func TestATimeNeedsAnArrival(t *testing.T) {
	for setting, part := range map[string]Part{"since": {FromMs: 5}, "until": {ToMs: 50}} {
		c := &Cut{Source: rows("0:10 0:-"), Part: part}
		err := c.Read(context.Background(), func(*Raw) error { return nil })
		if m, ok := err.(*request.Mistake); !ok || m.Setting != setting || !strings.Contains(err.Error(), "f:2 has no arrival time") {
			t.Errorf("%s: %v", setting, err)
		}
	}
}

func TestBounds(t *testing.T) {
	now := time.UnixMilli(1_796_000_000_000)
	p, err := Bounds{Times{"1d", "2026-11-30T00:00:00Z"}, 7}.At(now)
	if err != nil || p != (Part{FromMs: 1_796_000_000_000 - 86_400_000, ToMs: 1_795_996_800_000, Last: 7}) {
		t.Errorf("%+v, %v", p, err)
	}
	for want, b := range map[string]Bounds{
		"--since is \"noon\": write a time":      {Times: Times{Since: "noon"}},
		"--until is \"noon\": write a time":      {Times: Times{Until: "noon"}},
		"--last is -1; it takes a number":        {Last: -1},
		"--since is \"1h\", which is not before": {Times: Times{"1h", "1h"}},
	} {
		if _, err := b.At(now); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", b, err, want)
		}
	}
	if err := (Bounds{Last: 3}).CheckFile(File{Path: "f"}); err == nil || !strings.Contains(err.Error(), "a file of records is read once") {
		t.Error(err)
	}
	if err := (Bounds{Times: Times{Since: "1h"}}).CheckFile(File{Path: "f"}); err != nil {
		t.Error(err)
	}
}

func TestRecordsAreSpreadOverPartitions(t *testing.T) {
	for n, want := range map[int64]map[int32]int64{
		1: {0: 1, 1: 0, 2: 0}, 9: {0: 4, 1: 2, 2: 3}, 100: {0: 10, 1: 2, 2: 20},
	} {
		if got := Spread(map[int32]int64{0: 10, 1: 2, 2: 20}, n); !maps.Equal(got, want) {
			t.Errorf("%d: %v, want %v", n, got, want)
		}
	}
}
