package recommend

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"tidemark/internal/units"
	"tidemark/kafkastats"
	"tidemark/kafkastats/advise"
	"tidemark/kafkastats/decode"
	"tidemark/kafkastats/topic"
	"tidemark/request"
)

// Committed reports whether only committed records are to be read.
func (k Kafka) Committed() bool { return k.ReadCommitted || k.Connection.Settings.ReadCommitted() }

// described says how to reach the topic, which part of it to read, and what the brokers report
// about it. It is the same for a local reading and for a job on the user's cluster.
func (m *measuring) described(ctx context.Context, committed bool) (conn []kgo.Opt, sample topic.Sample, facts topic.Facts, err error) {
	if conn, err = m.Kafka.Connection.Opts(); err != nil {
		return nil, sample, facts, request.Bad(err)
	}
	if sample, err = m.Part.sample(m.Now()); err != nil {
		return nil, sample, facts, err
	}
	facts, err = topic.Describe(ctx, conn, m.Topic, committed)
	return conn, sample, facts, err
}

func (m *measuring) fromTopic(ctx context.Context) (kafkastats.Outcome, error) {
	none := kafkastats.Outcome{}
	committed := m.Kafka.Committed()
	conn, sample, facts, err := m.described(ctx, committed)
	if err != nil {
		return none, err
	}
	m.advice.Source = "Kafka"
	m.advice.Facts = topicFacts(facts, committed)
	layout, err := topic.Plan(ctx, conn, facts, sample)
	if err != nil {
		return none, err
	}
	t := topic.Options{Conn: conn, Topic: m.Topic, TopicID: facts.ID, ReadCommitted: committed, BytesPerSec: m.Kafka.BytesPerSec}
	head, err := topic.Head(ctx, t, layout.Segments[0], decode.LookSize)
	if err != nil {
		return none, err
	}
	e, d, err := m.extractor(ctx, head)
	if err != nil {
		return none, err
	}
	live := m.Part.Live > 0
	if !live && d.Format == decode.Timestamp && facts.TimestampType == createTime {
		if err := topic.Prime(ctx, conn, facts, layout, committed, m.Future.Milliseconds()); err != nil {
			return none, err
		}
	}
	if live {
		tail, cancel := context.WithTimeout(ctx, m.Part.Live)
		defer cancel()
		t.Follow, t.Live = true, func() int64 { return m.Now().UnixMilli() }
		layout = topic.Layout{Segments: [][]topic.Range{tailOf(facts)}}
		ctx = tail
	}
	t.Progress, t.Patience, t.Trouble = m.progress(), patience, topic.Troubled(m.Note)
	opts := m.options(e)
	opts.Measure.NowMs = m.Now().UnixMilli()
	opts.AppendTime = facts.TimestampType == appendTime && !live
	defer boundMemory(m.Getenv, readingMemory)()
	out, err := kafkastats.MeasureTopic(ctx, t, layout.Segments, opts)
	m.advice.Sampling = sampling(layout, out.Segments)
	if live && err == nil {
		out.Incomplete = ""
	}
	for _, r := range out.Removed {
		m.advice.NotSeen = append(m.advice.NotSeen, r.String())
	}
	m.state(e, d)
	return out, err
}

// patience is how long brokers may be silent in the middle of a topic before what was read so far
// is judged.
const patience = 2 * time.Minute

func topicFacts(f topic.Facts, committed bool) advise.TopicFacts {
	return advise.TopicFacts{Known: f.CleanupPolicy != "", Partitions: len(f.End), CleanupPolicy: f.CleanupPolicy, TimestampType: f.TimestampType,
		RetentionMs: f.RetentionMs, ReadCommitted: committed}
}

// Values of a topic's message.timestamp.type.
const createTime, appendTime = "CreateTime", "LogAppendTime"

// sampling describes how the segments were placed and how the running maximum at their starts was
// known.
func sampling(layout topic.Layout, begun []kafkastats.Segment) *advise.Sampling {
	s := &advise.Sampling{By: layout.By, Note: layout.Note, Planned: len(layout.Segments), Segments: []advise.Segment{}}
	for _, b := range begun {
		primed := map[string]int{}
		for how, n := range b.Primed {
			primed[string(how)] = n
		}
		s.Segments = append(s.Segments, advise.Segment{Primed: primed})
	}
	return s
}

// tailOf reads from the ends on, with a pre-roll.
func tailOf(f topic.Facts) []topic.Range {
	var out []topic.Range
	for _, p := range f.Partitions() {
		out = append(out, topic.Range{Partition: p, PreRoll: max(f.Start[p], f.End[p]-topic.PreRoll), From: f.End[p], To: f.End[p]})
	}
	return out
}

// sample is the part to read, given the current time.
func (p Part) sample(now time.Time) (topic.Sample, error) {
	s := topic.Sample{Segments: p.Segments, NowMs: now.UnixMilli()}
	if p.Segments < 0 {
		return s, request.Wrong("segments", "is %d; it takes a number of segments", p.Segments)
	}
	var err error
	s.Part, err = p.Bounds.At(now)
	return s, err
}

// progress reports how far a reading is.
func (m *measuring) progress() func(topic.Progress) {
	start := m.Now()
	return func(p topic.Progress) {
		elapsed := m.Now().Sub(start).Seconds()
		if elapsed < 1 {
			return
		}
		rate := float64(p.Offsets) / elapsed
		left := ""
		if rate > 0 && p.OffsetsTotal > p.Offsets {
			left = fmt.Sprintf(", %s left", units.Duration(int64(1000*float64(p.OffsetsTotal-p.Offsets)/rate)))
		}
		m.Detail(fmt.Sprintf("%s of %s offsets, %s a second%s", units.Count(p.Offsets), units.Count(p.OffsetsTotal), units.Count(int64(rate)), left))
	}
}
