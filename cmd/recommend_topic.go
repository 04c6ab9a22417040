package cmd

import (
	"context"
	"fmt"
	"time"

	"tidemark/kafkastats"
	"tidemark/kafkastats/advise"
	"tidemark/kafkastats/decode"
	"tidemark/kafkastats/topic"
)

func (o recommendOptions) fromTopic(ctx context.Context, g *globals, a *advise.Options) (kafkastats.Outcome, error) {
	none := kafkastats.Outcome{}
	conn, committed, err := o.conn(g)
	if err != nil {
		return none, usageError{err}
	}
	sample, err := o.sample(g.Now())
	if err != nil {
		return none, usageError{err}
	}
	facts, err := topic.Describe(ctx, conn, o.topic, committed)
	if err != nil {
		return none, err
	}
	a.Source = "Kafka"
	a.Facts = topicFacts(facts, committed)
	layout, err := topic.Plan(ctx, conn, facts, sample)
	if err != nil {
		return none, err
	}
	t := topic.Options{Conn: conn, Topic: o.topic, TopicID: facts.ID, ReadCommitted: committed, BytesPerSec: o.bytesPerSec}
	head, err := sampleTopic(ctx, t, layout.Segments[0])
	if err != nil {
		return none, err
	}
	e, d, err := o.extractor(ctx, g, head)
	if err != nil {
		return none, err
	}
	if o.live == 0 && d.Format == decode.Timestamp && facts.TimestampType == createTime {
		if err := topic.Prime(ctx, conn, facts, layout, committed, o.future.Milliseconds()); err != nil {
			return none, err
		}
	}
	if o.live > 0 {
		live, cancel := context.WithTimeout(ctx, o.live)
		defer cancel()
		t.Follow, t.Live = true, func() int64 { return g.Now().UnixMilli() }
		layout = topic.Layout{Segments: [][]topic.Range{tail(facts)}}
		ctx = live
	}
	t.Progress, t.Patience, t.Trouble = readingProgress(g), patience, troubled(g)
	opts := o.options(e)
	opts.Measure.NowMs = g.Now().UnixMilli()
	opts.AppendTime = facts.TimestampType == appendTime && o.live == 0
	defer boundMemory(g.Getenv)()
	out, err := kafkastats.MeasureTopic(ctx, t, layout.Segments, opts)
	a.Sampling = sampling(layout, out.Segments)
	if o.live > 0 && err == nil {
		out.Incomplete = ""
	}
	for _, r := range out.Removed {
		a.NotSeen = append(a.NotSeen, r.String())
	}
	o.state(a, e, d)
	return out, err
}

// patience is how long brokers may be silent in the middle of a topic before what was read is judged.
const patience = 2 * time.Minute

// troubled says once that the brokers stopped answering, and once that they are back.
func troubled(g *globals) func(error) {
	return func(err error) {
		if err != nil {
			g.notef("waiting for the brokers: %v", err)
			return
		}
		g.notef("the brokers answer again")
	}
}

func topicFacts(f topic.Facts, committed bool) advise.TopicFacts {
	return advise.TopicFacts{Known: f.CleanupPolicy != "", Partitions: len(f.End), CleanupPolicy: f.CleanupPolicy, TimestampType: f.TimestampType,
		RetentionMs: f.RetentionMs, ReadCommitted: committed}
}

// Values of a topic's message.timestamp.type.
const createTime, appendTime = "CreateTime", "LogAppendTime"

// sampling tells how the segments were placed and how the running maximum was known at their starts.
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

// tail reads from the ends on, with a pre-roll.
func tail(f topic.Facts) []topic.Range {
	var out []topic.Range
	for _, p := range f.Partitions() {
		out = append(out, topic.Range{Partition: p, PreRoll: max(f.Start[p], f.End[p]-topic.PreRoll), From: f.End[p], To: f.End[p]})
	}
	return out
}

func (o recommendOptions) sample(now time.Time) (topic.Sample, error) {
	s := topic.Sample{Last: o.last, Segments: o.segments, NowMs: now.UnixMilli()}
	if o.since > 0 {
		s.FromMs = now.Add(-o.since).UnixMilli()
	}
	for flag, set := range map[string]struct {
		text string
		ms   *int64
	}{"from": {o.from, &s.FromMs}, "to": {o.to, &s.ToMs}} {
		if set.text == "" {
			continue
		}
		at, err := time.Parse(time.RFC3339, set.text)
		if err != nil {
			return s, fmt.Errorf("--%s %q is not RFC 3339, as in 2026-11-30T08:00:00Z", flag, set.text)
		}
		*set.ms = at.UnixMilli()
	}
	return s, nil
}

// progress prints how far a reading is, to a terminal reader on stderr.
func readingProgress(g *globals) func(topic.Progress) {
	start := g.Now()
	return func(p topic.Progress) {
		elapsed := g.Now().Sub(start).Seconds()
		if elapsed < 1 || !g.verbose {
			return
		}
		rate := float64(p.Offsets) / elapsed
		left := ""
		if rate > 0 && p.OffsetsTotal > p.Offsets {
			left = fmt.Sprintf(", %s left", (time.Duration(float64(p.OffsetsTotal-p.Offsets)/rate) * time.Second).Round(time.Second))
		}
		fmt.Fprintf(g.Err, "tidemark: %d of %d offsets, %.0f a second%s\n", p.Offsets, p.OffsetsTotal, rate, left)
	}
}
