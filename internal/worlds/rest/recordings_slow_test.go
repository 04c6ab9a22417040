//go:build slow

package rest_test

import (
	"context"
	"math"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"

	"tidemark/engine"
	"tidemark/engine/twin/job"
	"tidemark/flinkapi"
	"tidemark/internal/worlds/rest"
)

// A world with the schedule of a lab scenario must answer what the lab's recordings contain: for each scenario described
// here and every version with a recording. Only four facts are read from the recording: when its tasks began to run, when
// production began, which subtask reads which split, and when the metrics were fetched.
func TestAnswersAsTheLab(t *testing.T) {
	loads := topics(t)
	done := map[string]int{}
	for _, file := range labRecordings(t) {
		m := recordingName.FindStringSubmatch(filepath.Base(file))
		build := scenarios[m[1]]
		if build == nil {
			continue
		}
		done[m[1]]++
		t.Run(filepath.Base(filepath.Dir(file))+"/"+m[1], func(t *testing.T) {
			real := capture(t, file)
			compare(t, real, build, loads)
		})
	}
	for name := range scenarios {
		if done[name] == 0 {
			t.Errorf("no recording of %s", name)
		}
	}
}

var recordingName = regexp.MustCompile(`^(?:lab-|fires\.|quiet\.)?(.*?)(?:-[0-9]+\.[0-9]+\.[0-9]+)?\.jsonl\.gz$`)

// labRecordings lists every recording once, though several checks may keep it.
func labRecordings(t *testing.T) []string {
	t.Helper()
	var all []string
	seen := map[string]bool{}
	for _, pattern := range []string{"recordings/*/*.jsonl.gz", "checks/*/*.jsonl.gz"} {
		files, err := filepath.Glob(testdata + pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("no recording matches %s: %v", pattern, err)
		}
		for _, f := range files {
			base := strings.TrimPrefix(strings.TrimPrefix(filepath.Base(f), "fires."), "quiet.")
			if strings.HasPrefix(base, "lab-") || !seen[base] {
				seen[base] = true
				all = append(all, f)
			}
		}
	}
	return all
}

func capture(t *testing.T, file string) *flinkapi.Capture {
	t.Helper()
	rec, err := flinkapi.OpenRecording(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	return assembled(t, rec)
}

func assembled(t *testing.T, rec *flinkapi.Recording) *flinkapi.Capture {
	t.Helper()
	c, err := rec.Capture(context.Background(), flinkapi.CaptureOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// gauge is a metric of a vertex, by the vertex's name: ids of vertices differ.
type gauge struct{ vertex, id string }

func gauges(s *flinkapi.Sample) map[gauge]int64 {
	names := map[string]string{}
	for _, v := range s.Job.Vertices {
		names[v.ID] = v.Name
	}
	all := map[gauge]int64{}
	for id, v := range s.Vertices {
		for metric, value := range v.Metrics {
			if n, err := strconv.ParseInt(value, 10, 64); err == nil && compared.MatchString(metric) {
				all[gauge{names[id], metric}] = n
			}
		}
	}
	return all
}

var compared = regexp.MustCompile(`(Watermark|currentOffset|numLateRecordsDropped|pendingRecords)$`)

// moment is when the gauges of a sample were read. A source shows it: watermark + watermarkLag is when it last emitted, and
// sourceIdleTime how long ago that was.
func moment(s *flinkapi.Sample) int64 {
	var at int64
	for _, v := range s.Vertices {
		if fetched, ok := v.FetchedAt(); ok && at == 0 {
			at = fetched + 100
		}
		for id, lag := range v.Metrics {
			source, ok := strings.CutSuffix(id, ".watermarkLag")
			if !ok {
				continue
			}
			w, errW := strconv.ParseInt(v.Metrics[source+".currentOutputWatermark"], 10, 64)
			l, errL := strconv.ParseInt(lag, 10, 64)
			idle, errI := strconv.ParseInt(v.Metrics[source+".sourceIdleTime"], 10, 64)
			// Metrics of one dump are read one after the other: between two of them the source may emit.
			if errW == nil && errL == nil && errI == nil && w+l+idle > at-1000 && w+l+idle < at+3000 {
				return w + l + idle
			}
		}
	}
	return at
}

func compare(t *testing.T, real *flinkapi.Capture, build func(lab) ops, loads map[string]topic) {
	t.Helper()
	if len(real.Jobs) != 1 || len(real.Jobs[0].Samples) != 2 {
		t.Fatalf("%d jobs", len(real.Jobs))
	}
	samples := real.Jobs[0].Samples
	at := []int64{moment(samples[0]), moment(samples[1])}
	l := lab{topics: loads, owner: map[string]int{}, sink: "Sink: Writer", endMs: at[1] + 10_000}
	for _, v := range samples[0].Job.Vertices {
		if strings.HasSuffix(v.Name, "-> Sink: Sink") {
			l.sink = "Sink: Sink" // a SinkFunction, in 1.x
		}
	}
	var used []topic
	l.startMs, used = production(t, samples, at, loads, l.owner)
	l.onceMs = l.startMs
	for _, p := range used {
		if p.number("once") > 0 {
			l.onceMs = newest(samples[0], p.name)
		}
	}
	version, err := engine.ParseVersion(real.FlinkVersion())
	if err != nil {
		t.Fatal(err)
	}
	world := &job.Job{Name: real.Jobs[0].Name, Flink: version, StartsMs: []int64{running(samples[0])}, Operators: build(l)}
	limit := tolerance{emission: 400, clock: 500, unit: 1}
	for _, op := range world.Operators {
		limit.unit = math.Max(limit.unit, unit(op))
		limit.buffer = max(limit.buffer, full(op, 20))
	}
	for _, p := range used {
		limit.records = max(limit.records, trail(p.everyMs(), float64(p.number("lateMs"))))
		limit.offsets = max(limit.offsets, int64(float64(limit.clock)/p.everyMs())+1)
	}
	rec, err := rest.Recording(world, at...)
	if err != nil {
		t.Fatal(err)
	}
	made := assembled(t, rec).Jobs[0].Samples
	if len(made) != 2 {
		t.Fatalf("%d samples answered", len(made))
	}
	d := differ{t: t, limit: limit}
	for i := range samples {
		d.sample(i, gauges(samples[i]), gauges(made[i]))
	}
	d.rises(samples, made)
	t.Logf("%d gauges agree, the furthest by %d ms of at most %s", d.n, d.furthest, limit)
}

// production is when the lab began to produce, by the newest offset that any live partition shows,
// and which topics the job reads.
func production(t *testing.T, samples []*flinkapi.Sample, at []int64, loads map[string]topic, owner map[string]int) (startMs int64, used []topic) {
	t.Helper()
	offset := regexp.MustCompile(`^(\d+)\..*\.topic\.(.+)\.partition\.(\d+)\.currentOffset$`)
	seen := map[string]bool{}
	for _, v := range samples[0].Vertices {
		for id, value := range v.Metrics {
			m := offset.FindStringSubmatch(id)
			if m == nil {
				continue
			}
			p, known := loads[m[2]]
			if !known {
				t.Skipf("load.txt has no topic %s", m[2])
			}
			owner[m[2]+"-"+m[3]], _ = strconv.Atoi(m[1])
			if !seen[p.name] {
				seen[p.name] = true
				used = append(used, p)
			}
			q, _ := strconv.ParseInt(m[3], 10, 64)
			later, _ := strconv.ParseInt(samples[1].Vertices[v.ID].Metrics[id], 10, 64)
			now, _ := strconv.ParseInt(value, 10, 64)
			if p.rate == 0 || later <= now {
				continue // it has ended: its offset does not show the time
			}
			// Record n of partition q was sent at start + (q + n * partitions) / rate, or later on a
			// busy machine: the earliest start that any reading gives is the nearest.
			for i, n := range []int64{now, later} {
				if from := at[i] - 1000*(q+n*p.partitions)/p.rate - int64(p.everyMs()/2); startMs == 0 || from < startMs {
					startMs = from
				}
			}
		}
	}
	for _, p := range used {
		// All stand still: the newest record that was read dates the start.
		if startMs == 0 && p.rate > 0 {
			startMs = newest(samples[0], p.name) - lastOffset(samples[0], p.name)*p.partitions*1000/p.rate
		}
	}
	sort.Slice(used, func(i, k int) bool { return used[i].name < used[k].name })
	return startMs, used
}

// running is when the first subtask began to run.
func running(s *flinkapi.Sample) int64 {
	first := int64(math.MaxInt64)
	for _, v := range s.Vertices {
		for _, t := range v.Times.Subtasks {
			first = min(first, t.Timestamps["RUNNING"])
		}
	}
	return first
}

// newest is the event time of the newest record of a topic, by the watermark of its source with a
// bound of two seconds.
func newest(s *flinkapi.Sample, topic string) int64 {
	at := int64(0)
	for _, v := range s.Vertices {
		for id := range v.Metrics {
			if source, _, ok := strings.Cut(id, ".KafkaSourceReader.topic."+topic+"."); ok {
				w, err := strconv.ParseInt(v.Metrics[source+".currentOutputWatermark"], 10, 64)
				if err == nil {
					at = max(at, w+2001)
				}
			}
		}
	}
	return at
}

// lastOffset is the highest offset read of a topic.
func lastOffset(s *flinkapi.Sample, topic string) int64 {
	highest := int64(0)
	for g, n := range gauges(s) {
		if strings.Contains(g.id, ".topic."+topic+".") && strings.HasSuffix(g.id, ".currentOffset") {
			highest = max(highest, n)
		}
	}
	return highest
}
