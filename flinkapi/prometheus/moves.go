package prometheus

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sort"
	"time"
)

// Moves are the scrapes at which a split had advanced since the scrape before, in runs. Nothing is known between two runs:
// the job did not run, was restarted, or was not scraped.
type Moves struct {
	Split   string // as the reporter spells it, for Kafka TOPIC-PARTITION
	Runs    [][]int64
	EveryMs int64
}

// reader is a split as read by one source: several sources may read one topic.
type reader struct{ split, task, operator string }

// read is a sample, with the attempt that it is from.
type read struct {
	Point
	attempt string
}

// SplitMoves follows the splits of a job over a period: by their Kafka offsets, else by their
// watermarks. It also returns the server's warnings: if there are any, series may be missing.
func (c *Client) SplitMoves(ctx context.Context, r Reading, id string, since time.Time) ([]Moves, []string, error) {
	every, probe, err := c.everyOf(ctx, id, r.At, r.At.Sub(since))
	if err != nil {
		return nil, nil, err
	}
	var said Answer
	said.warn(probe.Warnings)
	for _, metric := range []string{"operator_KafkaSourceReader_topic_partition_currentOffset", "operator_split_watermark_currentWatermark"} {
		points := map[reader][]read{}
		const chunk = 6 * time.Hour
		for begin := since; begin.Before(r.At); begin = begin.Add(chunk) {
			end := begin.Add(chunk)
			if end.After(r.At) {
				end = r.At
			}
			c.step(r, "reading how long splits are silent")
			a, err := c.Query(ctx, c.selector(taskPrefix+metric, equals("job_id", id))+"["+window(end.Sub(begin))+"]", end)
			if err != nil {
				return nil, nil, err
			}
			said.warn(a.Warnings)
			for _, s := range a.Series {
				of := reader{s.Labels["split"], s.Labels["task_id"], s.Labels["operator_name"]}
				if of.split == "" {
					of.split = s.Labels["topic"] + "-" + s.Labels["partition"]
				}
				for _, p := range s.Points {
					points[of] = append(points[of], read{p, s.Labels["task_attempt_num"]})
				}
			}
		}
		if len(points) > 0 {
			return movesOf(points, every.Milliseconds()), said.Warnings, nil
		}
	}
	return nil, said.Warnings, nil
}

func movesOf(points map[reader][]read, every int64) []Moves {
	var out []Moves
	readers := slices.SortedFunc(maps.Keys(points), func(a, b reader) int {
		return cmp.Or(cmp.Compare(a.split, b.split), cmp.Compare(a.task, b.task), cmp.Compare(a.operator, b.operator))
	})
	for _, of := range readers {
		all := points[of]
		sort.Slice(all, func(i, k int) bool { return all[i].T < all[k].T })
		m := Moves{Split: of.split, EveryMs: every, Runs: [][]int64{nil}}
		for i := 1; i < len(all); i++ {
			n := len(m.Runs) - 1
			switch gap := all[i].T-all[i-1].T > every*5/2 || all[i].attempt != all[i-1].attempt; {
			case gap && len(m.Runs[n]) > 0:
				m.Runs = append(m.Runs, nil)
			case !gap && all[i].V != all[i-1].V:
				m.Runs[n] = append(m.Runs[n], all[i].T)
			}
		}
		out = append(out, m)
	}
	return out
}
