package crosscheck

import (
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

var _ = registerCrosscheck(catalog.Check{
	Code: "TM808", Cause: "data-cause", Title: "The cause is in the topic's data",
	Symptom: 1, Severity: catalog.Warning, Needs: catalog.Needs(catalog.PartitionOffsets, catalog.TopicRecords),
	Means: "A partition is empty or got no record for a while, or one record carries a time of the future: the job does with it what it should.",
	Why:   "Only the topic can tell an empty partition from one that is not read, and name the one record whose event time is ahead of its own arrival. A silent partition holds its subtask's event time until an idle timeout passes; a record of the future moves its split ahead until the clock has caught up, and everything else is late once no other split holds the minimum.",
	Fix: catalog.Fix{
		Text:       "For a silent partition declare an idle timeout or send a heartbeat; leave records of the future out where they are read, or give them the time of their arrival.",
		DataStream: "strategy.withIdleness(Duration.ofSeconds(30)).withTimestampAssigner((r, t) -> r.ts() > t + 300_000L ? t : r.ts())",
		SQL:        "WITH ('scan.watermark.idle-timeout' = '30 s')   -- 1.18+",
	},
}, runDataCause)

func runDataCause(c *Crosscheck) []catalog.Finding {
	var out []catalog.Finding
	for _, s := range c.Sources {
		if s.Missing != "" {
			continue
		}
		for _, t := range s.Vertex.Subtasks {
			for _, sp := range t.ActiveSplits() {
				d := s.Data[sp.ID]
				if d == nil {
					continue
				}
				if f, ok := s.silence(c, sp, d); ok {
					out = append(out, f)
				}
				if f, ok := s.poison(c, sp, d); ok {
					out = append(out, f)
				}
			}
		}
	}
	return out
}

// silence is a partition without records, or without a new one for a minute.
func (s *CrossSource) silence(c *Crosscheck, sp *model.Split, d *PartitionData) (catalog.Finding, bool) {
	f := catalog.NewFinding("TM808", s.Vertex)
	f.Operator, f.Split = model.HeadName(s.Vertex), sp.ID
	f.AddSubtask(sp.Subtask.Index)
	last, any := d.Last()
	read := int64(-1)
	if x, ok := sp.Offset.Value(); ok {
		read = int64(x)
	}
	switch {
	case d.End <= d.Start:
		f.Summary = fmt.Sprintf("Partition %d of topic %s is empty", d.Partition, model.QuoteName(d.Topic))
	case !any || read < d.End-1: // there is something to read
		return f, false
	case s.Vertex.FetchedMs-last.Arrival > model.QuietMs:
		f.Summary = fmt.Sprintf("Partition %d of topic %s got no record since offset %d at %s", d.Partition, model.QuoteName(d.Topic), last.Offset, units.Time(last.Arrival))
		f.Since(s.Vertex.FetchedMs - last.Arrival)
	default:
		return f, false
	}
	if idle, known := sp.Idle(); known && idle {
		f.Severity = catalog.Info
		f.Summary += "; it is marked idle, so nothing waits for it"
	} else if !s.holds(sp) {
		f.Severity = catalog.Info
		f.Latent = true
		f.Summary += "; another split of its source is further behind"
	} else {
		f.HeldBack = c.Job().HeldBack(s.Vertex, s.Vertex.MinOut())
		f.Summary += ", and event time waits for it"
	}
	f.Prove(s.Vertex, "partition "+fmt.Sprint(d.Partition), "readable offsets", fmt.Sprintf("%d to %d", d.Start, d.End))
	f.ProveGauge(s.Vertex, "split "+sp.ID, "currentOffset", sp.Offset)
	f.ProveReading(s.Vertex, "split "+sp.ID, "watermark", sp.Watermark)
	return f, true
}

// holds reports a split at the minimum of its source.
func (s *CrossSource) holds(sp *model.Split) bool {
	least := s.Vertex.MinOut().Now
	w := sp.Watermark.Now
	if !w.Readable() {
		w = sp.Subtask.SourceOut().Now
	}
	return !least.Before(w)
}

// poison is a record far ahead of its own arrival that the split's watermark still shows.
func (s *CrossSource) poison(c *Crosscheck, sp *model.Split, d *PartitionData) (catalog.Finding, bool) {
	read, ok := sp.Offset.Value()
	if d.Future == nil || !ok || d.Future.Offset > int64(read) || s.InForce.Unit.Scaled() {
		return catalog.Finding{}, false
	}
	r := *d.Future
	f := catalog.NewFinding("TM808", s.Vertex)
	four := 4
	f.Symptom = &four
	f.Operator, f.Split = model.HeadName(s.Vertex), sp.ID
	f.AddSubtask(sp.Subtask.Index)
	f.Summary = fmt.Sprintf("The record at partition %d offset %d of topic %s has event time %s, %s after it arrived", d.Partition, r.Offset, model.QuoteName(d.Topic), units.Time(r.Event), units.Duration(r.Event-r.Arrival))
	if d.Futures > 1 {
		f.Summary += fmt.Sprintf("; %d more are like it", d.Futures-1)
	}
	if out := s.Vertex.MinOut().Now; out.IsKnown() {
		if ms, _ := out.Millis(); ms < s.Vertex.FetchedMs+futureMs {
			f.Latent = true
			f.Summary += "; other splits still hold event time back"
		} else {
			f.Severity = catalog.Critical
		}
	}
	f.HeldBack = []model.Ref{}
	f.Prove(s.Vertex, "record", "arrival", units.Time(r.Arrival))
	f.Prove(s.Vertex, "record", "event time", fmt.Sprint(r.Event))
	f.ProveReading(s.Vertex, "split "+sp.ID, "watermark", sp.Watermark)
	return f, true
}
