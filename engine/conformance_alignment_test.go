package engine

import (
	"encoding/json"
	"fmt"
	"slices"
)

func init() { replayers["alignment"] = replayAlignment }

func replayAlignment(v vector, version Version, j *journal) error {
	var cfg struct {
		UpdateMs int64 `json:"update_ms"`
		Samples  int   `json:"samples"`
	}
	if err := json.Unmarshal(v.Config, &cfg); err != nil {
		return err
	}
	source, err := NewSource(SourceConfig{Strategy: Strategy{Kind: NoWatermarks, IntervalMs: 200}, Version: version}, &recorder{})
	if err != nil {
		return err
	}
	a, err := Align(source, AlignmentConfig{UpdateMs: cfg.UpdateMs, Samples: cfg.Samples}, nil)
	if err != nil {
		return err
	}
	handles, names := map[string]int{}, []string{}
	paused, waiting := map[string]bool{}, false
	for i, o := range v.Ops {
		j.op = i
		report := ""
		switch o.verb {
		case "add":
			handles[o.text(0)] = assign(source, a)
			names = append(names, o.text(0))
		case "split-wm":
			a.splitIdle(handles[o.text(0)], false)
			a.splitWatermark(handles[o.text(0)], o.num(1))
		case "split-idle", "split-active":
			a.splitIdle(handles[o.text(0)], o.verb == "split-idle")
		case "wm":
			a.effectiveWatermark(o.num(0))
		case "idle", "active":
			a.effectiveIdle(o.verb == "idle")
		case "announce":
			a.Announce(o.num(0))
		case "report":
			if w, ok := a.Report(); ok {
				report = fmt.Sprintf(`"report",%d`, w)
			}
		default:
			return fmt.Errorf("unknown operation %q", o.verb)
		}
		slices.Sort(names)
		for _, verb := range []string{"pause", "resume"} {
			for _, name := range names {
				now := a.Paused(handles[name])
				if now != paused[name] && now == (verb == "pause") {
					j.add(`%q,%q`, verb, name)
					paused[name] = now
				}
			}
		}
		if a.Waiting() != waiting {
			waiting = a.Waiting()
			j.add(`%q`, map[bool]string{true: "wait", false: "read"}[waiting])
		}
		if report != "" {
			j.add("%s", report)
		}
	}
	return nil
}
