package simulate

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"tidemark/engine"
	"tidemark/kafkastats/decode"
	"tidemark/kafkastats/record"
	"tidemark/request"
)

const (
	// batchSize is the number of records that the reader hands to the strategies at once.
	batchSize = 4096
	// learnSize is the number of records that are kept to find out which partitions exist.
	learnSize = 1 << 16
)

// feed turns a record source into batches of engine records in arrival order. Splits are numbered in
// the order of their partitions.
type feed struct {
	source     record.Source
	time       *decode.Reader
	partitions int  // number of partitions; 0 = those that appear
	sort       bool // hold all records and sort them by arrival
	skip       bool // count records without an event time instead of failing

	exist   map[int32]bool // partitions of which only earlier records were seen
	topic   string
	asked   string  // the topic that was named
	ids     []int32 // partition of each split
	index   map[int32]int32
	last    int64 // arrival
	newest  map[int32]int64
	records int64
	skipped int64
	first   int64
	started bool
}

// run calls open once the partitions are known, then batch with at most batchSize records each.
// The slice is reused: it is valid only until the next call of batch.
func (f *feed) run(ctx context.Context, open func() error, batch func([]engine.Record) error) error {
	f.index, f.newest, f.exist = map[int32]int32{}, map[int32]int64{}, map[int32]bool{}
	var held []engine.Record // still with partitions in place of splits
	opened := false
	flush := func() error {
		f.settle(held)
		if err := open(); err != nil {
			return err
		}
		opened = true
		for chunk := range slices.Chunk(held, batchSize) {
			if err := batch(chunk); err != nil {
				return err
			}
		}
		held = nil
		return nil
	}
	if f.partitions > 0 && !f.sort {
		if err := flush(); err != nil {
			return err
		}
	}
	buffers := [2][]engine.Record{make([]engine.Record, 0, batchSize), make([]engine.Record, 0, batchSize)}
	turn := 0
	err := f.source.Read(ctx, func(raw *record.Raw) error {
		rec, use, err := f.take(raw)
		if err != nil || !use {
			return err
		}
		if !opened {
			held = append(held, rec)
			if len(held) >= learnSize && !f.sort {
				return flush()
			}
			return nil
		}
		split, ok := f.index[rec.Split]
		if !ok {
			return fmt.Errorf("%s: partition %d appears only here; say how many there are with --partitions", raw.Place(), rec.Split)
		}
		rec.Split = split
		buffers[turn] = append(buffers[turn], rec)
		if len(buffers[turn]) < batchSize {
			return nil
		}
		full := buffers[turn]
		turn = 1 - turn
		buffers[turn] = buffers[turn][:0]
		return batch(full)
	})
	if err == nil && !opened {
		err = flush()
	}
	if err == nil && len(buffers[turn]) > 0 {
		err = batch(buffers[turn])
	}
	return err
}

// take checks one record and reduces it to its times; Split holds the partition for now.
func (f *feed) take(raw *record.Raw) (rec engine.Record, use bool, err error) {
	if f.partitions > 0 && int(raw.Partition) >= f.partitions {
		return rec, false, fmt.Errorf("%s: partition %d does not exist, --partitions is %d", raw.Place(), raw.Partition, f.partitions)
	}
	if raw.PreRoll { // the simulated job begins behind it, and yet the partition is there
		f.exist[raw.Partition] = true
		return rec, false, nil
	}
	if raw.Topic != "" && raw.Topic != f.topic {
		switch {
		case f.asked != "":
			return rec, false, request.Wrong("topic", "is %q, but %s is of topic %s: leave it out", f.asked, raw.Place(), record.Clip([]byte(raw.Topic)))
		case f.topic != "" && f.records > 0:
			return rec, false, fmt.Errorf("%s: records of topic %s after those of %s: simulate one topic at a time", raw.Place(), record.Clip([]byte(raw.Topic)), record.Clip([]byte(f.topic)))
		}
		f.topic = raw.Topic
	}
	if raw.Type == record.NoTimestamp {
		return rec, false, fmt.Errorf("%s: the record has no timestamp, so its arrival is not known", raw.Place())
	}
	if raw.Timestamp < 0 || raw.Timestamp > maxArrival {
		return rec, false, fmt.Errorf("%s: arrival %d is not a time between 1970 and 9999 in epoch milliseconds", raw.Place(), raw.Timestamp)
	}
	event, err := f.time.Of(raw)
	if err != nil && f.skip {
		f.skipped++
		return rec, false, nil
	}
	if err != nil {
		return rec, false, fmt.Errorf("%s: %w (--skip-bad leaves such records out)", raw.Place(), err)
	}
	rec = engine.Record{Split: raw.Partition, Arrival: raw.Timestamp, EventTime: event}
	if f.sort {
		// Within a partition, offsets are the order; arrival decides only between partitions.
		rec.Arrival = max(rec.Arrival, f.newest[raw.Partition])
		f.newest[raw.Partition] = rec.Arrival
	} else if rec.Arrival < f.last {
		return rec, false, fmt.Errorf("%s: arrival %d is %d ms before that of an earlier record: the file is not in arrival order; --sort holds it in memory and sorts it",
			raw.Place(), rec.Arrival, f.last-rec.Arrival)
	}
	if !f.started {
		f.started, f.first = true, rec.Arrival
	}
	f.first, f.last = min(f.first, rec.Arrival), max(f.last, rec.Arrival)
	f.records++
	return rec, true, nil
}

// maxArrival is the end of the year 9999, epoch ms.
const maxArrival = 253_402_300_799_999

// settle numbers the splits and sorts the held records.
func (f *feed) settle(held []engine.Record) {
	seen := maps.Clone(f.exist)
	for p := range f.partitions {
		seen[int32(p)] = true
	}
	for _, r := range held {
		seen[r.Split] = true
	}
	for p := range seen {
		f.ids = append(f.ids, p)
	}
	slices.Sort(f.ids)
	for i, p := range f.ids {
		f.index[p] = int32(i)
	}
	if f.sort {
		slices.SortStableFunc(held, func(a, b engine.Record) int {
			switch {
			case a.Arrival < b.Arrival:
				return -1
			case a.Arrival > b.Arrival:
				return 1
			}
			return 0
		})
	}
	for i := range held {
		held[i].Split = f.index[held[i].Split]
	}
}
