package flinkapi_test

import (
	"context"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tidemark/flinkapi"
	"tidemark/internal/cases"
	"tidemark/internal/flinktest"
)

// budget is the most requests a sample of one job of 100 vertices with 512 subtasks may cost.
const budget = 1000

func synthetic(t testing.TB, o flinktest.SyntheticOptions) (*flinkapi.Client, *flinktest.Counter, *flinktest.Synthetic) {
	t.Helper()
	clock := flinktest.NewClock(1796011288000)
	o.Now = clock.Now
	s := flinktest.NewSynthetic(o)
	counter := flinktest.Count(s)
	return serve(t, counter, clock, nil), counter, s
}

func TestLargeJobStaysWithinItsBudget(t *testing.T) {
	for _, tc := range cases.Some([]struct {
		name string
		o    flinktest.SyntheticOptions
		most int
	}{
		{"idle split", flinktest.SyntheticOptions{Vertices: 40, Parallelism: 512, Sources: 4, IdleSplit: true, IdleSubtask: 300}, 260},
		{"healthy", flinktest.SyntheticOptions{Vertices: 100, Parallelism: 512, Sources: 4}, 400},
		{"healthy without split metrics", flinktest.SyntheticOptions{Vertices: 40, Parallelism: 512, Sources: 4, Version: "1.20.3"}, 230},
		{"all sources", flinktest.SyntheticOptions{Vertices: 30, Parallelism: 512, Sources: 30, IdleSplit: true}, 700},
	}, 1) {
		t.Run(tc.name, func(t *testing.T) {
			c, counter, _ := synthetic(t, tc.o)
			got, err := c.Capture(context.Background(), flinkapi.CaptureOptions{Once: true})
			if err != nil {
				t.Fatal(err)
			}
			if n := len(counter.Requests()); n > tc.most || n > budget || n < 3*tc.o.Vertices {
				t.Errorf("%d requests, want at most %d", n, tc.most)
			}
			if counter.Peak() > 8 {
				t.Errorf("%d requests in flight, want at most 8", counter.Peak())
			}
			for _, path := range counter.Requests() {
				if len("GET "+path+" HTTP/1.1") > 4000 {
					t.Fatalf("request line of %d bytes", len(path)+13)
				}
			}
			for id, v := range got.Jobs[0].Samples[0].Vertices {
				if len(v.Missing) > 0 {
					t.Fatalf("vertex %s: %v", id, v.Missing)
				}
			}
		})
	}
}

func TestRequestsGrowWithVerticesOnly(t *testing.T) {
	cases.Slow(t)
	count := func(vertices, parallelism int) int {
		c, counter, _ := synthetic(t, flinktest.SyntheticOptions{Vertices: vertices, Parallelism: parallelism, Sources: 1})
		if _, err := c.Capture(context.Background(), flinkapi.CaptureOptions{Once: true}); err != nil {
			t.Fatal(err)
		}
		return len(counter.Requests())
	}
	small, large := count(10, 512), count(100, 512)
	if perVertex := float64(large-small) / 90; perVertex > 3.01 {
		t.Errorf("a further vertex costs %.2f requests, want 3", perVertex)
	}
	if wide := count(10, 1024); wide > 2*small {
		t.Errorf("twice the subtasks cost %d requests, %d before", wide, small)
	}
}

// The idle split of subtask 300 is found by looking closer, in exact strings, with its owner.
func TestDrillNamesTheSubtaskAndSplit(t *testing.T) {
	for _, version := range cases.Some([]string{"2.3.0", "1.20.3"}, 1) {
		t.Run(version, func(t *testing.T) {
			c, _, s := synthetic(t, flinktest.SyntheticOptions{Vertices: 12, Parallelism: 512, IdleSplit: true, IdleSubtask: 300, Version: version})
			got, err := c.Capture(context.Background(), flinkapi.CaptureOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for k, sample := range got.Jobs[0].Samples {
				src := sample.Vertices[s.VertexID(0)]
				const none = "-9223372036854775808"
				if src.Metrics["300.Source__Orders0.currentOutputWatermark"] != none || src.Metrics["299.Source__Orders0.currentOutputWatermark"] == none {
					t.Errorf("sample %d: output of subtask 300 %q, 299 %q", k, src.Metrics["300.Source__Orders0.currentOutputWatermark"], src.Metrics["299.Source__Orders0.currentOutputWatermark"])
				}
				if src.Details == nil || len(src.MetricIDs) < 512*100 {
					t.Errorf("sample %d: the source was not read closely (%d ids)", k, len(src.MetricIDs))
				}
				for _, id := range []string{"300.Source__Orders0.KafkaSourceReader.topic.orders.partition.300.currentOffset", "300.Source__Orders0.sourceIdleTime", "300.Source__Orders0.numRecordsIn"} {
					if src.Metrics[id] == "" {
						t.Errorf("sample %d: %s was not read", k, id)
					}
				}
				if split := src.Metrics["300.Source__Orders0.split.orders-300.watermark.currentWatermark"]; version == "2.3.0" && split != none {
					t.Errorf("sample %d: split watermark %q", k, split)
				}
				healthy := sample.Vertices[s.VertexID(1)]
				if healthy.Details != nil || healthy.MetricIDs != nil {
					t.Errorf("sample %d: the healthy source was read closely", k)
				}
				down := sample.Vertices[s.VertexID(5)]
				if len(down.Watermarks) != 512 || down.Watermarks[17].Value != none {
					t.Errorf("sample %d: downstream inputs %d", k, len(down.Watermarks))
				}
				out := down.Aggregates["Window5.currentOutputWatermark"]
				if out.Min == nil || flinkapi.AggregatedWatermark(float64(*out.Min)).State() != flinkapi.None {
					t.Errorf("sample %d: aggregate of the output %+v", k, out)
				}
			}
		})
	}
}

func TestSmallJobIsReadInFull(t *testing.T) {
	c, _, s := synthetic(t, flinktest.SyntheticOptions{Vertices: 5, Parallelism: 8})
	got, err := c.Capture(context.Background(), flinkapi.CaptureOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, sample := range got.Jobs[0].Samples {
		for v := range 5 {
			for id := range sample.Vertices[s.VertexID(v)].Metrics {
				if strings.Contains(id, "KafkaConsumer") {
					t.Fatalf("%s is of no use", id)
				}
			}
			if n := len(sample.Vertices[s.VertexID(v)].Metrics); n < 8*10 {
				t.Errorf("vertex %d: %d values", v, n)
			}
		}
	}
	a, _ := got.Jobs[0].Samples[0].Vertices[s.VertexID(2)].FetchedAt()
	b, _ := got.Jobs[0].Samples[1].Vertices[s.VertexID(2)].FetchedAt()
	if gap := time.Duration(b-a) * time.Millisecond; gap < 10*time.Second || gap > 15*time.Second {
		t.Errorf("samples of fetches %s apart", gap)
	}
	wa := flinkapi.ParseWatermark(got.Jobs[0].Samples[0].Vertices[s.VertexID(2)].Metrics["0.currentInputWatermark"])
	wb := flinkapi.ParseWatermark(got.Jobs[0].Samples[1].Vertices[s.VertexID(2)].Metrics["0.currentInputWatermark"])
	x, _ := wa.Millis()
	y, _ := wb.Millis()
	if math.Abs(float64(y-x-(b-a))) > 1 {
		t.Errorf("event time moved %d ms between fetches %d ms apart", y-x, b-a)
	}
}

// An id that vanished since it was listed empties the whole aggregated answer; the others are still read.
func TestVanishedIDDoesNotHideTheOthers(t *testing.T) {
	clock := flinktest.NewClock(1796011288000)
	s := flinktest.NewSynthetic(flinktest.SyntheticOptions{Vertices: 3, Parallelism: 300, Sources: 1, Now: clock.Now})
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/subtasks/metrics") && !r.URL.Query().Has("get") {
			rec := httptest.NewRecorder()
			s.ServeHTTP(rec, r)
			body := strings.Replace(rec.Body.String(), "[", `[{"id":"Gone.numRecordsIn"},`, 1)
			w.Write([]byte(body))
			return
		}
		s.ServeHTTP(w, r)
	})
	got, err := serve(t, h, clock, nil).Capture(context.Background(), flinkapi.CaptureOptions{Once: true})
	if err != nil {
		t.Fatal(err)
	}
	v := got.Jobs[0].Samples[0].Vertices[s.VertexID(2)]
	for _, id := range []string{"Window2.currentOutputWatermark", "Map2.numRecordsOut", "busyTimeMsPerSecond", "Window2.numLateRecordsDropped"} {
		if a, ok := v.Aggregates[id]; !ok || a.Min == nil || a.Max == nil || a.Sum == nil {
			t.Errorf("%s is missing: %+v", id, a)
		}
	}
	if _, ok := v.Aggregates["Gone.numRecordsIn"]; ok {
		t.Error("a metric that is gone has a value")
	}
}

// When the budget is spent, the capture says so; what was not read does not count as healthy.
func TestSpentBudgetIsTold(t *testing.T) {
	clock := flinktest.NewClock(1796011288000)
	s := flinktest.NewSynthetic(flinktest.SyntheticOptions{Vertices: 3, Parallelism: 2000, Sources: 1, Now: clock.Now, IdleSplit: true, IdleSubtask: 1500})
	c := serve(t, s, clock, func(o *flinkapi.ClientOptions) { o.Budget = 1 })
	got, err := c.Capture(context.Background(), flinkapi.CaptureOptions{Once: true})
	if err != nil {
		t.Fatal(err)
	}
	fs := got.Jobs[0].Samples[0].Vertices[s.VertexID(0)].Missing
	if len(fs) != 1 || !strings.Contains(fs[0].Cause, "to spare the JobManager") || fs[0].Status != 0 {
		t.Errorf("failures %+v", fs)
	}
}

func TestLongForeignNames(t *testing.T) {
	for _, name := range cases.Some([]string{strings.Repeat("ü[1]>&,", 2000), "\u202e<script>", "a\x1b[31m", "100%+?#&get="}, 1) {
		clock := flinktest.NewClock(1796011288000)
		s := flinktest.NewSynthetic(flinktest.SyntheticOptions{Vertices: 3, Parallelism: 300, Now: clock.Now, VertexName: name, JobName: name})
		counter := flinktest.Count(s)
		got, err := serve(t, counter, clock, nil).Capture(context.Background(), flinkapi.CaptureOptions{})
		if err != nil || got.Jobs[0].Name != name {
			t.Fatalf("%.20q: %v", name, err)
		}
		for _, sample := range got.Jobs[0].Samples {
			src := sample.Vertices[s.VertexID(0)]
			if n := len(src.Metrics); n < 300 || len(src.Missing) > 0 {
				t.Errorf("%.20q: %d values, %+v", name, n, src.Missing)
			}
			if a := sample.Vertices[s.VertexID(2)].Aggregates; len(a) < 10 {
				t.Errorf("%.20q: %d aggregates", name, len(a))
			}
		}
		for _, path := range counter.Requests() {
			if len(path) > 3990 {
				t.Errorf("%.20q: request of %d bytes", name, len(path))
			}
		}
	}
}
