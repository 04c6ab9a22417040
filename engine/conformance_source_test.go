package engine

import (
	"encoding/json"
	"fmt"
	"testing"
)

// sourceVectorConfig is the config of kind "source"; all fields but the first
// three are additions and default to off.
type sourceVectorConfig struct {
	BoundMs    int64  `json:"bound_ms"`
	IdleMs     int64  `json:"idle_ms"`
	IntervalMs int64  `json:"interval_ms"`
	Generator  string `json:"generator"`
}

func (c sourceVectorConfig) strategy() (Strategy, error) {
	s := Strategy{BoundMs: c.BoundMs, IdleMs: c.IdleMs, IntervalMs: c.IntervalMs}
	switch c.Generator {
	case "", "bounded":
	case "ascending":
		s.Kind = Ascending
	case "none":
		s.Kind = NoWatermarks
	case "on-event":
		s.EmitOnEvent = true
	case "sql":
		s.SQL = true
	case "sql-on-event":
		s.SQL, s.EmitOnEvent = true, true
	case "punctuated":
		s.Kind = Punctuated
		s.Punctuate = func(ts int64) (int64, bool) { return ts, ts%3 == 0 }
	default:
		return s, fmt.Errorf("unknown generator %q", c.Generator)
	}
	return s, nil
}

func replaySource(v vector, version Version, j *journal) error {
	var cfg sourceVectorConfig
	if err := json.Unmarshal(v.Config, &cfg); err != nil {
		return err
	}
	strategy, err := cfg.strategy()
	if err != nil {
		return err
	}
	source, err := NewSource(SourceConfig{Strategy: strategy, Version: version}, j)
	if err != nil {
		return err
	}
	j.clock = source.Now
	splits := map[string]int{}
	for i, o := range v.Ops {
		j.op = i
		if err := sourceOp(source, splits, o); err != nil {
			return err
		}
	}
	return nil
}

func sourceOp(source *Source, splits map[string]int, o op) error {
	split := func() int {
		handle, known := splits[o.text(0)]
		if !known {
			return -1
		}
		return handle
	}
	switch o.verb {
	case "add":
		splits[o.text(0)] = source.AddSplit()
		return nil
	case "release":
		return source.ReleaseSplit(split())
	case "rec":
		return source.Record(split(), o.num(1))
	case "rec-main":
		source.RecordMain(o.num(0))
		return nil
	case "wm-main":
		source.EmitMain(o.num(0))
		return nil
	case "pause":
		return source.PauseSplit(split())
	case "resume":
		return source.ResumeSplit(split())
	case "pause-main":
		source.PauseMain()
		return nil
	case "resume-main":
		return source.ResumeMain()
	case "emit-now":
		source.EmitNow()
		return nil
	case "at":
		return source.AdvanceTo(o.num(0))
	default:
		return fmt.Errorf("unknown operation %q", o.verb)
	}
}

func replayValve(v vector, _ Version, j *journal) error {
	valve, err := NewValve(v.Channels, j)
	if err != nil {
		return err
	}
	for i, o := range v.Ops {
		j.op = i
		channel := int(o.num(0))
		switch o.verb {
		case "wm":
			err = valve.Watermark(channel, o.num(1))
		case "idle", "active":
			err = valve.Status(channel, o.verb == "idle")
		default:
			err = fmt.Errorf("unknown operation %q", o.verb)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func TestVectorsThatAreNotUnderstoodFail(t *testing.T) {
	for name, line := range map[string]string{
		"kind":      `{"name":"x","kind":"sauce","ops":[],"out":[]}`,
		"operation": `{"name":"x","kind":"valve","channels":1,"ops":[["jump",0]],"out":[]}`,
		"generator": `{"name":"x","kind":"source","config":{"generator":"magic"},"ops":[],"out":[]}`,
		"split":     `{"name":"x","kind":"source","config":{},"ops":[["rec","p",1]],"out":[]}`,
		"arguments": `{"name":"x","kind":"valve","channels":1,"ops":[["wm",0]],"out":[]}`,
		"missing":   `{"name":"x","kind":"valve","channels":1,"ops":[["wm",0,5]],"out":[]}`,
		"surplus":   `{"name":"x","kind":"valve","channels":1,"ops":[],"out":[[0,"wm",5]]}`,
		"value":     `{"name":"x","kind":"valve","channels":1,"ops":[["wm",0,5]],"out":[[0,"wm",6]]}`,
		"version":   `{"name":"x","kind":"valve","flink":"1.2","channels":1,"ops":[],"out":[]}`,
	} {
		if _, err := replayLine([]byte(line), Latest); err == nil {
			t.Errorf("%s: accepted %s", name, line)
		}
	}
}
