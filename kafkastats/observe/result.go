package observe

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"tidemark/kafkastats/decode"
	"tidemark/kafkastats/measure"
	"tidemark/kafkastats/profile"
	"tidemark/kafkastats/record"
)

// Result is what one run of observe added to a profile, and what the profile holds afterwards.
// Times are epoch ms, durations ms.
type Result struct {
	Topic      string          `json:"topic"`
	Source     string          `json:"source"`   // Kafka, or the file
	BeganMs    int64           `json:"began_ms"` // wall clock
	EndedMs    int64           `json:"ended_ms"` // wall clock
	Ended      Ended           `json:"ended"`
	Reason     string          `json:"reason,omitempty"` // why it failed
	EventTime  EventTime       `json:"event_time"`
	Windows    []int64         `json:"windows_ms"`      // windows whose drops are counted
	IdleMs     int64           `json:"idle_timeout_ms"` // 0: none
	Records    int64           `json:"records"`         // added by this run, unusable ones included
	Span       measure.Span    `json:"span"`            // of the usable ones
	Partitions []Partition     `json:"partitions"`
	Gaps       []Gap           `json:"gaps"`
	LeftOut    *record.LeftOut `json:"left_out,omitempty"` // by --since, --until and --last, of a file
	Profile    Profile         `json:"profile"`
}

// Ended says why a run ended.
type Ended string

// The reasons. In every case the profile holds what was read.
const (
	FileRead    Ended = "file-read"
	TimeOver    Ended = "time-over"
	Interrupted Ended = "interrupted"
	Failed      Ended = "failed"
)

// EventTime says where the event time was found; an empty unit or zone is taken from each record.
type EventTime struct {
	Format string `json:"format"`
	Field  string `json:"field"`
	Unit   string `json:"unit"`
	Zone   string `json:"zone"`
}

func (e EventTime) String() string {
	text := e.Format
	if e.Field != "" {
		text += " " + e.Field
	}
	if e.Unit != "" && e.Unit != "auto" {
		text += " in " + e.Unit
	}
	if e.Zone != "" {
		text += ", zone " + e.Zone
	}
	return text
}

// Partition is what the run added for one partition: offsets from (inclusive) to to (exclusive).
type Partition struct {
	ID      int32 `json:"partition"`
	From    int64 `json:"from"`
	To      int64 `json:"to"`
	Records int64 `json:"records"` // added by this run
	Held    int64 `json:"held"`    // now in the profile
}

// Gap is a range of offsets that could not be read: from (inclusive) to to (exclusive).
type Gap struct {
	Partition int32  `json:"partition"`
	From      int64  `json:"from"`
	To        int64  `json:"to"`
	Why       string `json:"why"`
}

func (g Gap) String() string {
	return fmt.Sprintf("partition %d offsets %d to %d: %s", g.Partition, g.From, g.To-1, g.Why)
}

// Profile is the file, with what all runs added.
type Profile struct {
	Path     string           `json:"path"`
	Bytes    int64            `json:"bytes"`
	Begun    bool             `json:"begun"` // started by this run
	Records  int64            `json:"records"`
	Counters measure.Counters `json:"counters"` // by kind
	Span     measure.Span     `json:"span"`
}

// account reads the profile and describes the run; err is why it ended.
func (w *observation) account(d decode.Options, left *record.LeftOut, err error) (*Result, error) {
	r := &w.r
	out := &Result{Topic: r.Topic, Source: "Kafka", BeganMs: w.began, EndedMs: w.p.Now().UnixMilli(), Ended: TimeOver, Span: w.span, LeftOut: left,
		EventTime: EventTime{Format: d.Format, Field: d.Field, Unit: r.EventTime.Unit, Zone: r.EventTime.Zone},
		Windows:   []int64{}, IdleMs: r.Idle.Milliseconds(), Partitions: []Partition{}, Gaps: w.gaps}
	if r.Records.Path != "" {
		out.Source, out.Ended = r.Records.Name(), FileRead
	}
	switch {
	case errors.Is(err, context.Canceled):
		out.Ended = Interrupted
	case err != nil:
		out.Ended, out.Reason = Failed, err.Error()
	}
	for _, size := range r.Windows {
		out.Windows = append(out.Windows, size.Milliseconds())
	}
	held, bad := profile.Read(r.File)
	info, gone := os.Stat(r.File)
	if bad := errors.Join(bad, gone); bad != nil {
		return nil, errors.Join(err, fmt.Errorf("the result cannot be reported: %w", bad))
	}
	total := held.Counted.Total()
	out.Profile = Profile{Path: r.File, Bytes: info.Size(), Begun: w.prior == nil, Records: int64(total.Seen()), Counters: total.Counters, Span: held.Counted.Span}
	for _, id := range slices.Sorted(maps.Keys(w.begun)) {
		p := Partition{ID: id, From: w.begun[id], To: w.begun[id]}
		if counted := held.Counted.Partitions[id]; counted != nil {
			p.Held = int64(counted.Total().Seen())
			for _, r := range counted.Ranges {
				p.To = max(p.To, r.To)
			}
		}
		p.Records = p.Held - w.before[id]
		out.Records += p.Records
		out.Partitions = append(out.Partitions, p)
	}
	return out, err
}

// holds is the number of records of each partition in a profile.
func holds(p *profile.Profile) map[int32]int64 {
	out := map[int32]int64{}
	if p != nil {
		for id, counted := range p.Counted.Partitions {
			out[id] = int64(counted.Total().Seen())
		}
	}
	return out
}
