package crosscheck

import (
	"fmt"
	"sort"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

var _ = registerCrosscheck(catalog.Check{
	Code: "TM805", Cause: "unread-split", Title: "A partition of the topic is not read by the job",
	Severity: catalog.Critical, Needs: catalog.Needs(catalog.PartitionOffsets, catalog.TopicOffsets),
	Means: "The topic has a partition with records that no source subtask names, or one whose offset stands while records wait in it.",
	Why: "Partitions that were added after the job started are only found with partition discovery (partition.discovery.interval.ms, SQL scan.topic-partition-discovery.interval: off by default before Kafka connector 3.1, five minutes since); a job restored from an old state can miss them too. Their records are simply absent from the results, and no watermark tells. " +
		"A split that alignment pauses is not reported, nor one that other splits of its subtask wait with.",
	Fix: catalog.Fix{
		Text:       "Turn partition discovery on and restart the job; check the list of partitions if one is given.",
		DataStream: "KafkaSource.<Order>builder().setProperty(\"partition.discovery.interval.ms\", \"60000\")",
		SQL:        "WITH ('scan.topic-partition-discovery.interval' = '60 s')",
	},
}, runUnreadSplit)

func runUnreadSplit(c *Crosscheck) []catalog.Finding {
	var out []catalog.Finding
	for _, s := range c.Sources {
		if s.Missing != "" {
			continue
		}
		named := map[string]*model.Split{}
		for _, t := range s.Vertex.Subtasks {
			for _, sp := range t.ActiveSplits() {
				named[sp.ID] = sp
			}
		}
		for _, id := range sortedIDs(s.Data) {
			d := s.Data[id]
			sp := named[id]
			if sp == nil && d.End > d.Start {
				out = append(out, unread(s, id, d, fmt.Sprintf("Partition %d of topic %s holds %s records and no subtask of source %s reads it", d.Partition, model.QuoteName(d.Topic), units.Count(d.End-d.Start), model.SourceLabel(s.Vertex))))
			}
			if sp != nil && s.stuck(sp, d) {
				f := unread(s, id, d, fmt.Sprintf("Split %s stands at offset %.0f with %s records behind it while its siblings move", id, sp.Offset.Now, units.Count(d.End-int64(sp.Offset.Now)-1)))
				f.Confidence = catalog.Likely
				f.AddSubtask(sp.Subtask.Index)
				f.ProveGauge(s.Vertex, "split "+id, "currentOffset", sp.Offset)
				out = append(out, f)
			}
		}
	}
	return out
}

func unread(s *CrossSource, id string, d *PartitionData, summary string) catalog.Finding {
	f := catalog.NewFinding("TM805", s.Vertex)
	f.Operator, f.Split, f.Summary = model.HeadName(s.Vertex), id, summary
	f.Prove(s.Vertex, "partition "+fmt.Sprint(d.Partition), "readable offsets", fmt.Sprintf("%d to %d", d.Start, d.End))
	return f
}

// stuck is a split with waiting records that did not move although another split of its subtask did.
func (s *CrossSource) stuck(sp *model.Split, d *PartitionData) bool {
	rise, ok := sp.Offset.Rise()
	if !ok || rise > 0 || d.End-int64(sp.Offset.Now)-1 < 1 {
		return false
	}
	if paused, known := sp.Paused(); known && paused {
		return false
	}
	for _, other := range sp.Subtask.ActiveSplits() {
		if moved, ok := other.Offset.Rise(); ok && moved > 0 {
			// Records that came after the fetch have reason to wait: they must be older than the fetch before.
			next, read := d.after(int64(sp.Offset.Now))
			return read && s.Vertex.FetchedMs > 0 && s.Vertex.FetchedMs-next.Arrival > s.gapMs()
		}
	}
	return false
}

// after is the first kept record above an offset.
func (d *PartitionData) after(offset int64) (DataRecord, bool) {
	i := d.at(offset) + 1
	if i >= len(d.Tail) {
		return DataRecord{}, false
	}
	return d.Tail[i], true
}

func sortedIDs(m map[string]*PartitionData) []string {
	ids := make([]string, 0, len(m))
	for id := range m {
		ids = append(ids, id)
	}
	sort.Slice(ids, func(i, k int) bool {
		a, b := m[ids[i]], m[ids[k]]
		if a.Topic != b.Topic {
			return a.Topic < b.Topic
		}
		return a.Partition < b.Partition
	})
	return ids
}
