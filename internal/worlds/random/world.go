// Package random makes random jobs, each with one planted fault or none, and the truth about them. A seed makes the same
// world on every machine.
package random

import (
	"math/rand/v2"
	"strings"

	"tidemark/engine"
	"tidemark/engine/twin/job"
)

// World is a job at two moments, and the truth about it.
type World struct {
	Seed    uint64
	Job     *job.Job
	Moments [2]int64 // metric fetches, epoch ms; a world that is read once uses only the second
	Lacks   string   // a metric that the cluster lacks, "" = none
	Truth   Truth
}

// Truth is the answer of an engineer who planted the fault.
type Truth struct {
	Fault    string   // the kind of world; the healthy kinds begin with "healthy"
	Severity string   // "" = healthy, else the least severity of the finding
	Causes   []string // any of them names the fault
	Also     []string // causes that come with it and may also be named
	Mild     []string // the same, but not as critical
	Operator int      // whose vertex the finding must name, -1 = any
	Subtasks []int    // subtasks that it must name, if it names any; nil = any
	Split    string   // split that it must name, if it names one
	// Hidden says that the gauges of this version cannot show the fault: it may be named, left
	// open or, if Harmless, missed.
	Hidden   bool
	Harmless bool // does no harm yet
	Young    bool // too young to judge: incomplete is right
	// Unknown says that the operator that uses event time is a user function, which the plan does
	// not identify: a stall there cannot be called critical with certainty.
	Unknown bool
	Stalls  bool   // the watermark of the operator that uses event time stands between the moments
	Loses   bool   // it drops and counts late records between the moments
	Uses    int    // the operator that uses event time
	Second  *Truth // of a second fault in another place
	Once    bool   // one fetch: what it cannot show stays open
}

// Read are the moments at which the world is read.
func (w World) Read() []int64 {
	if w.Truth.Once {
		return w.Moments[1:]
	}
	return w.Moments[:]
}

// Healthy reports a world without a fault.
func (t Truth) Healthy() bool { return t.Severity == "" && !t.Hidden }

// versions are of every minor release; those that were run in the lab are drawn more often.
var versions = []engine.Version{{Major: 1, Minor: 17, Patch: 2}, {Major: 1, Minor: 18, Patch: 1}, {Major: 1, Minor: 18, Patch: 1}, {Major: 1, Minor: 19, Patch: 1}, {Major: 1, Minor: 20, Patch: 3}, {Major: 1, Minor: 20, Patch: 3},
	{Major: 2, Minor: 0, Patch: 1}, {Major: 2, Minor: 1, Patch: 1}, {Major: 2, Minor: 2, Patch: 1}, {Major: 2, Minor: 3, Patch: 0}, {Major: 2, Minor: 3, Patch: 0}, {Major: 2, Minor: 3, Patch: 0}}

// maker builds one world. A fault makes its changes before build is called.
type maker struct {
	r          *rand.Rand
	version    engine.Version
	t0, t1     int64
	start      int64
	shape      shape
	sources    []*source
	ops        []job.Operator
	truth      Truth
	checkMs    int64
	stall      int64         // since when an operator holds watermarks, 0 = never
	cost       float64       // of the operator behind the first exchange, ms per record
	ends       map[int]int64 // when splits of the first source are read to their end
	end        int64         // of the job, 0 = running
	state      string
	swallows   bool // the operator in the middle is an assigner without watermarks
	sideOutput bool
	closed     bool // windows have a fixed end: no sessions
	hot        bool // key 0 has most of the records
	starts     []int64
	fails      []job.Failure
	windowCost float64 // of the operator that uses event time, ms per record
	sinkCost   float64 // of a sink in a separate task
	lacks      string  // a metric that the cluster lacks
	batchMs    int64   // interval of a MiniBatchAssigner behind each scan, 0 = none
	procColumn string  // of PROCTIME()
	procText   int     // the operator on processing time
	sink       int     // set by build
	middle     int     // operator that costs or holds, set by build
	window     int     // operator that uses event time, set by build
}

// New makes the world of a seed.
func New(seed uint64) World { return world(seed, nil) }

// Of makes the world of a seed as one of the first kind whose name begins with name.
func Of(name string, seed uint64) World {
	for i := range kinds {
		if strings.HasPrefix(kinds[i].name, name) {
			return world(seed, &kinds[i])
		}
	}
	panic("no kind of world begins with " + name)
}

func world(seed uint64, k *kind) World {
	m := &maker{r: rand.New(rand.NewPCG(seed, 0x71de)), truth: Truth{Operator: -1}, middle: -1, window: -1, sink: -1}
	m.version = versions[m.r.IntN(len(versions))]
	m.t0 = 1_790_000_000_000 + m.r.Int64N(10_000_000_000)
	m.t1 = m.t0 + 11_000 + m.r.Int64N(15_000)
	m.start = m.t0 - 90_000 - m.r.Int64N(400_000)
	if drawn := pick(m.r, weights); k == nil {
		k = &kinds[drawn]
	}
	m.truth.Fault = k.name
	m.draw(k.want)
	k.plant(m)
	return World{Seed: seed, Job: m.build(seed), Moments: [2]int64{m.t0, m.t1}, Truth: m.truth, Lacks: m.lacks}
}

func pick(r *rand.Rand, weights []int) int {
	sum := 0
	for _, w := range weights {
		sum += w
	}
	n := r.IntN(sum)
	for i, w := range weights {
		if n < w {
			return i
		}
		n -= w
	}
	return len(weights) - 1
}

func oneOf[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// chance is true with this probability.
func (m *maker) chance(share float64) bool { return m.r.Float64() < share }

// between is a number in [from, to].
func (m *maker) between(from, to int64) int64 { return from + m.r.Int64N(to-from+1) }
