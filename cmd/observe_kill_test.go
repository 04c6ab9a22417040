package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"tidemark/kafkastats/measure"
	"tidemark/kafkastats/profile"
)

// flow keeps producing to the partitions of a topic until it is stopped: late, future and broken
// records among the others. The last partition is silent until the end.
type flow struct {
	cl       *kgo.Client
	topic    string
	parts    int
	produced atomic.Int64
	stop     chan struct{}
	done     sync.WaitGroup
	r        *rand.Rand
	at       int64
}

func startFlow(t testing.TB, conn []kgo.Opt, topic string, parts int, seed uint64) *flow {
	t.Helper()
	cl, err := kgo.NewClient(append(conn, kgo.RecordPartitioner(kgo.ManualPartitioner()))...)
	if err != nil {
		t.Fatal(err)
	}
	f := &flow{cl: cl, topic: topic, parts: parts, stop: make(chan struct{}), r: rand.New(rand.NewPCG(seed, 2)), at: 1_796_000_000_000}
	f.done.Go(func() {
		for {
			select {
			case <-f.stop:
				return
			case <-time.After(20 * time.Millisecond):
				f.produce(t, f.parts-1, 40)
			}
		}
	})
	t.Cleanup(cl.Close)
	return f
}

func (f *flow) produce(t testing.TB, parts, each int) {
	var rs []*kgo.Record
	for range each {
		f.at += 50
		for p := range parts {
			event := f.at - f.r.Int64N(5000)
			if f.r.IntN(500) == 0 {
				event = f.at + 3_600_000
			}
			value := fmt.Appendf(nil, `{"event_time":%d}`, event)
			if f.r.IntN(1000) == 0 {
				value = []byte("broken")
			}
			rs = append(rs, &kgo.Record{Topic: f.topic, Partition: int32(p), Timestamp: time.UnixMilli(f.at), Value: value})
		}
	}
	if err := f.cl.ProduceSync(context.Background(), rs...).FirstErr(); err != nil {
		t.Errorf("produce: %v", err)
	}
	f.produced.Add(int64(len(rs)))
}

// end stops the flow and lets the silent partition speak once.
func (f *flow) end(t testing.TB) {
	close(f.stop)
	f.done.Wait()
	f.produce(t, f.parts, 1)
}

// seen is how many records a profile holds; its ranges must not contradict the counts.
func seen(t testing.TB, p *profile.Profile) (n int64) {
	t.Helper()
	for id, part := range p.Counted.Partitions {
		var counted, offsets int64
		for _, c := range part.Cells {
			counted += int64(c.Seen())
		}
		for _, r := range part.Ranges {
			offsets += r.To - r.From
		}
		if counted+int64(part.Jumps) != offsets {
			t.Errorf("partition %d: %d records, ranges %v", id, counted, part.Ranges)
		}
		n += counted
	}
	return n
}

func countedText(t testing.TB, m *measure.Measurement) string {
	t.Helper()
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// killMany runs observe again and again, kills it at a random moment each time, and compares what
// the profile holds at the end with one run that was left alone.
func killMany(t testing.TB, conn []kgo.Opt, topic string, parts, kills int, args ...string) {
	t.Helper()
	const seed = 20261130
	dir := t.TempDir()
	killed, whole := filepath.Join(dir, "killed"), filepath.Join(dir, "whole")
	observe := func(file string) *exec.Cmd {
		return tidemark(t, append([]string{"observe", topic, "--field", "event_time", "--from-start", "--flush", "1ms", "--max-errors", "-1", "--idle-timeout", "30s", "--profile", file}, args...)...)
	}
	f := startFlow(t, conn, topic, parts, seed)
	r := rand.New(rand.NewPCG(seed, 3))
	var last int64
	progress := 0
	// How long a run takes to write anything depends on the machine: half of the kills come after that.
	begun := time.Now()
	first := observe(filepath.Join(dir, "first"))
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	for p, err := profile.Read(filepath.Join(dir, "first")); err != nil || seen(t, p) == 0; p, err = profile.Read(filepath.Join(dir, "first")) {
		time.Sleep(10 * time.Millisecond)
	}
	_ = first.Process.Kill()
	_ = first.Wait()
	usual := time.Since(begun)
	for i := range kills {
		var out bytes.Buffer
		c := observe(killed)
		c.Stderr = &out
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		given := 50*time.Millisecond + time.Duration(r.Int64N(2*int64(usual)))
		for end := time.Now().Add(given); time.Now().Before(end); {
			// Readable at every moment, also while it is written or replaced.
			p, err := profile.Read(killed)
			if err == nil {
				if n := seen(t, p); n < last || n > f.produced.Load()+int64(parts*100) {
					t.Fatalf("run %d: %d records after %d, %d were produced", i, n, last, f.produced.Load())
				}
			} else if last > 0 {
				t.Fatalf("run %d: %v", i, err)
			}
			time.Sleep(time.Duration(1+r.IntN(20)) * time.Millisecond)
		}
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := c.Wait(); c.ProcessState.ExitCode() != -1 {
			t.Fatalf("run %d ended by itself: %v: %s", i, err, out.String())
		}
		p, err := profile.Read(killed)
		if given > usual && (err != nil || seen(t, p) == last) {
			usual *= 2 // the machine is busier than it was for the first run
		}
		switch {
		case err != nil && (last > 0 || !errors.Is(err, fs.ErrNotExist) && !isEmpty(killed)):
			t.Fatalf("run %d: %v", i, err)
		case err == nil:
			n := seen(t, p)
			if n < last {
				t.Fatalf("run %d: %d records after %d", i, n, last)
			}
			if n > last {
				progress++
			}
			last = n
		}
	}
	f.end(t)
	for _, file := range []string{killed, whole} {
		stopAt(t, observe(file), file, f.produced.Load())
	}
	a, err := profile.Read(killed)
	if err != nil {
		t.Fatal(err)
	}
	b, err := profile.Read(whole)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d kills, %d of the runs added records, %d records at the last kill of %d", kills, progress, last, f.produced.Load())
	if n := seen(t, b); n != f.produced.Load() {
		t.Errorf("left alone: %d records of %d", n, f.produced.Load())
	}
	if n := seen(t, a); n != f.produced.Load() {
		t.Errorf("killed: %d records of %d", n, f.produced.Load())
	}
	if progress < kills/8 {
		t.Errorf("only %d of %d runs added records", progress, kills)
	}
	if countedText(t, a.Counted) != countedText(t, b.Counted) {
		t.Errorf("killed:\n%.3000s\nleft alone:\n%.3000s", countedText(t, a.Counted), countedText(t, b.Counted))
	}
}

// stopAt starts a process that observes and interrupts it once its profile holds so many records.
func stopAt(t testing.TB, c *exec.Cmd, file string, records int64) {
	t.Helper()
	var out bytes.Buffer
	c.Stderr = &out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	caughtUp(t, file, records)
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); c.ProcessState.ExitCode() != exitInterrupted {
		t.Fatalf("%v: %s", err, out.String())
	}
}

// caughtUp waits until a profile holds so many records.
func caughtUp(t testing.TB, file string, records int64) {
	t.Helper()
	for range 4800 {
		if passed(file) == records {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	t.Fatalf("%d of %d records", passed(file), records)
}

// passed is how many offsets are behind a profile, 0 while there is none or it grows: reading it costs more than a look.
func passed(file string) (offsets int64) {
	is, err := os.Stat(file)
	if err != nil {
		return 0
	}
	was, ok := looked.Load(file)
	if ok && was.(look).size == is.Size() && was.(look).read {
		return was.(look).offsets
	}
	if !ok || was.(look).size != is.Size() { // it may be growing still
		looked.Store(file, look{size: is.Size()})
		return 0
	}
	p, err := profile.Read(file)
	if err != nil {
		return 0
	}
	for _, next := range p.Positions {
		offsets += next
	}
	looked.Store(file, look{is.Size(), offsets, true})
	return offsets
}

// looked is what was found in a profile of a size: it only grows, and tests wait for what it holds.
var looked sync.Map

type look struct {
	size, offsets int64
	read          bool
}

func isEmpty(path string) bool {
	b, err := os.ReadFile(path)
	return err == nil && !bytes.Contains(b, []byte("\n"))
}
