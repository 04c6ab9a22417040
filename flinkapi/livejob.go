package flinkapi

import (
	"net/url"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tidwall/gjson"
)

// liveJob is the state of reading one job.
type liveJob struct {
	run       *liveRun
	id        string
	state     string
	brief     bool              // listed as ended: only its state and its exceptions are read
	gone      bool              // the cluster no longer has it
	read404   bool              // and a sample shows that
	read      int               // samples taken
	probe     string            // path of a vertex's /backpressure, which gives the age of the metric cache
	warm      Entry             // the job as read by the warm-up
	marks     map[string]string // running vertex to its I/O numbers at the last check or sample: they change with every fetch
	filled    bool              // and the cache has numbers of some of them
	allowance atomic.Int64      // requests left for reading details in this sample
	urgent    atomic.Int64      // the same, for a source with subtasks that have no watermark

	mu    sync.Mutex
	focus map[string][]int // vertex to the subtasks read in detail, in every later sample as well
}

func (j *liveJob) path() string { return "/jobs/" + url.PathEscape(j.id) }

// peek reads the job without recording it, which starts a fetch if one is due. The first call
// stores the numbers that the fetch will change; later ones compare with the last sample.
func (j *liveJob) peek(first bool) {
	if j.gone || j.brief {
		return
	}
	e, err := j.run.peek(j.path())
	if err != nil {
		j.gone = IsNotFound(err)
		j.marks = nil
		return
	}
	if first {
		j.warm = e
		j.marks = marksOf(e.Body)
	}
	j.probe, j.filled = "", false
	gjson.GetBytes(e.Body, "vertices").ForEach(func(_, v gjson.Result) bool {
		id := v.Get("id").Str
		if j.marks[id] != "" {
			read, write := v.Get("metrics.read-records-complete"), v.Get("metrics.write-records-complete")
			j.filled = j.filled || read.Type != gjson.False || write.Type != gjson.False
		}
		if j.marks[id] != "" && j.probe == "" {
			j.probe = j.path() + "/vertices/" + url.PathEscape(id) + "/backpressure"
		}
		return j.probe == "" || !j.filled
	})
}

// hasNews reports that each running vertex shows other numbers than before.
func (j *liveJob) hasNews() bool {
	if j.gone || len(j.marks) == 0 {
		return true
	}
	e, err := j.run.peek(j.path())
	if err != nil {
		return true
	}
	fresh := marksOf(e.Body)
	for id, old := range j.marks {
		if now, still := fresh[id]; still && now == old {
			return false
		}
	}
	return true
}

func marksOf(job []byte) map[string]string {
	marks := map[string]string{}
	gjson.GetBytes(job, "vertices").ForEach(func(_, v gjson.Result) bool {
		if v.Get("status").Str == "RUNNING" {
			marks[v.Get("id").Str] = v.Get("metrics").Raw
		}
		return true
	})
	return marks
}

// jobMetrics are the metrics of a job that show restarts (names of 1.17 to 2.3).
const jobMetrics = "numRestarts,uptime,fullRestarts,restartingTime,runningTime,downtime,numRescales"

// take reads sample k of the job.
func (j *liveJob) take(k int) {
	if k > 0 && (j.read404 || j.brief) {
		return
	}
	e, err := j.warm, error(nil)
	if k > 0 || !j.run.atOnce || !e.OK() { // otherwise the answer that dates the cache is used
		e, err = j.run.get(j.path())
	}
	if j.gone = IsNotFound(err); j.gone && k == 0 && j.warm.OK() {
		j.run.record(j.warm) // only the answer of the warm-up is left
	}
	j.read404 = j.gone
	if j.run.keep(e, err); err != nil {
		return
	}
	var job JobDetails
	if _, ok := decodeJob(e, e.question(), &job); !ok {
		return
	}
	j.state, j.marks = job.State, marksOf(e.Body)
	if j.brief {
		j.olderFailures(j.run.askAll([]string{j.path() + newestFailures}))
		return
	}
	plan := job.Plan
	if len(plan.Nodes) == 0 {
		if e, err := j.run.ask(j.path() + "/plan"); err == nil {
			var p struct{ Plan Plan }
			if _, ok := decode(e, e.question(), &p); ok {
				plan = p.Plan
			}
		}
	}
	var paths []string
	if k == 0 {
		paths = append(paths, "/config", "/checkpoints/config")
	}
	paths = append(paths, newestFailures, "/checkpoints", "/metrics?get="+jobMetrics)
	for i := range paths {
		paths[i] = j.path() + paths[i]
	}
	j.olderFailures(j.run.askAll(paths))
	if terminal(job.State) {
		return // its metrics are those of the last fetch before it ended
	}
	j.readVertices(planVertices(job, plan))
}

const (
	newestFailures = "/exceptions?maxExceptions=5"
	allFailures    = "/exceptions?maxExceptions=20" // more than Flink holds by default
)

// olderFailures reads all failures where the newest are only for lack of slots: the one before them says why.
func (j *liveJob) olderFailures(answers []Entry) {
	for _, e := range answers {
		var x Exceptions
		if e.Path != j.path()+newestFailures {
			continue
		}
		if _, ok := decode(e, e.question(), &x); ok && len(x.History.Entries) >= 5 && !slices.ContainsFunc(x.History.Entries, func(e ExceptionEntry) bool { return !e.WantsSlots() }) {
			j.run.ask(j.path() + allFailures)
		}
	}
}

// planVertices lists the vertices, sources first, and how to read each.
func planVertices(job JobDetails, plan Plan) []vertexTask {
	hasInputs, inPlan := map[string]bool{}, map[string]bool{}
	for _, n := range plan.Nodes {
		inPlan[n.ID], hasInputs[n.ID] = true, len(n.Inputs) > 0
	}
	total := 0
	var tasks, rest []vertexTask
	for _, v := range job.Vertices {
		total += v.Parallelism
		t := vertexTask{id: v.ID, parallelism: v.Parallelism, running: v.Tasks["RUNNING"], source: inPlan[v.ID] && !hasInputs[v.ID]}
		if t.source {
			tasks = append(tasks, t)
		} else {
			rest = append(rest, t)
		}
	}
	tasks = append(tasks, rest...)
	left := maxFullSubtasks
	for i := range tasks {
		t := &tasks[i]
		t.full = total <= smallJob || t.parallelism <= smallVertex && t.parallelism <= left
		if t.full {
			left -= t.parallelism
		}
	}
	return tasks
}

// Up to these sizes, every interesting metric of every subtask is read; above them, only where
// subtasks differ.
const (
	smallJob        = 256  // subtasks of the whole job
	smallVertex     = 32   // subtasks of a vertex
	maxFullSubtasks = 1024 // subtasks read in full in a job that is not small
)

// urgentRequests is enough for one source of 512 subtasks that is needed to explain the job.
const urgentRequests = 42

// readVertices reads the vertices, a few at a time and sources first, so that the last one does
// not take long alone.
func (j *liveJob) readVertices(tasks []vertexTask) {
	mandatory := 0
	for _, t := range tasks {
		mandatory += t.estimate()
	}
	j.allowance.Store(int64(max(j.run.c.opts.Budget-mandatory-urgentRequests, 0)))
	j.urgent.Store(urgentRequests)
	queue := make(chan vertexTask)
	var wg sync.WaitGroup
	// Twice the slots: while one vertex is decoded, the request of another takes its slot.
	for range min(len(tasks), 2*j.run.c.opts.MaxInFlight) {
		wg.Go(func() {
			for t := range queue {
				if j.run.ctx.Err() == nil {
					(&liveVertex{vertexTask: t, job: j, base: j.path() + "/vertices/" + url.PathEscape(t.id)}).read()
				}
			}
		})
	}
	for _, t := range tasks {
		queue <- t
	}
	close(queue)
	wg.Wait()
}
