package crosscheck

import (
	"strconv"
	"strings"

	"tidemark/analyze/model"
)

// CrosscheckSource is a source of a job whose splits are Kafka partitions.
type CrosscheckSource struct {
	Vertex *model.Vertex
	Name   string // without Flink's prefix
	Topics []string
	Splits []CrosscheckSplit
	Plan   *Promise // what the plan declares, nil = nothing
	SQL    bool
	Event  bool // the plan says on-event
}

// CrosscheckSplit is a split that a reader names and the largest offset it showed, -1 = none.
type CrosscheckSplit struct {
	ID        string
	Topic     string // as metric ids spell it: dots are underscores
	Partition int32
	Offset    int64
}

// CrosscheckSources lists the sources of a job that read Kafka, by the gauges of their readers.
func CrosscheckSources(jobs []*model.Job) []CrosscheckSource {
	j := jobs[len(jobs)-1]
	var out []CrosscheckSource
	for _, v := range j.Sources() {
		src := CrosscheckSource{Vertex: v, Name: model.SourceName(v), SQL: v.IsSQLScan()}
		topics := map[string]bool{}
		for _, t := range v.Subtasks {
			for _, sp := range t.ActiveSplits() {
				topic, p, ok := kafkaSplit(sp)
				if !ok {
					continue
				}
				offset := int64(-1)
				for _, x := range []float64{sp.Offset.Before, sp.Offset.Now} {
					if x == x {
						offset = max(offset, int64(x))
					}
				}
				src.Splits = append(src.Splits, CrosscheckSplit{sp.ID, topic, p, offset})
				if !topics[topic] {
					topics[topic] = true
					src.Topics = append(src.Topics, topic)
				}
			}
		}
		if len(src.Splits) == 0 {
			continue
		}
		if d, ok := j.Declared(v); ok {
			src.SQL, src.Event = true, d.OnEvent
			if d.DelayKnown && !d.Source {
				src.Plan = &Promise{DelayMs: d.DelayMs, IdleMs: d.IdleMs, Origin: "plan"}
			}
		}
		out = append(out, src)
	}
	return out
}

// kafkaSplit parses "topic-3". Only a Kafka reader shows a currentOffset.
func kafkaSplit(s *model.Split) (topic string, partition int32, ok bool) {
	if _, shown := s.Offset.Value(); !shown {
		return "", 0, false
	}
	at := strings.LastIndexByte(s.ID, '-')
	if at <= 0 {
		return "", 0, false
	}
	p, err := strconv.ParseInt(s.ID[at+1:], 10, 32)
	return s.ID[:at], int32(p), err == nil && p >= 0
}
