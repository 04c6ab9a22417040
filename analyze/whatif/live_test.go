//go:build lab

package whatif

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tidemark/analyze/model"
	"tidemark/flinkapi"
	"tidemark/internal/units"
	"tidemark/request"
)

// pair is a job and the same job with settings changed, both on the same topics.
type pair struct {
	name    string
	kind    string
	sources []string // of java/jobs/WhatIf.java
	changed []string
	set     []string
}

const bounded, orders = "|delay=2000", "Orders|whatif-orders|2"

var pairs = []pair{
	{"idle-partition", "window", []string{"Orders|whatif-silent3|4" + bounded}, []string{"Orders|whatif-silent3|4" + bounded + "|idle=5000"}, []string{"Orders.idle-timeout=5s"}},
	{"quiet-join", "join", []string{orders + bounded, "Payments|whatif-quiet|2" + bounded}, []string{orders + bounded, "Payments|whatif-quiet|2" + bounded + "|idle=5000"}, []string{"Payments.idle-timeout=5s"}},
	{"bound-too-large", "window", []string{orders + "|delay=600000"}, []string{orders + bounded}, []string{"Orders.delay=2s"}},
	{"late-drops", "window", []string{"Orders|whatif-late|2" + bounded}, []string{"Orders|whatif-late|2|delay=8000"}, []string{"Orders.delay=8s"}},
	{"late-drops-lateness", "window", []string{"Orders|whatif-late|2" + bounded}, []string{"Orders|whatif-late|2" + bounded + "|lateness=10000"}, []string{"Window10s.lateness=10s"}},
	{"skew-aligned", "window", []string{"Fast|whatif-fast|2" + bounded, "Slow|whatif-slow|2" + bounded}, []string{"Fast|whatif-fast|2" + bounded + "|drift=10000", "Slow|whatif-slow|2" + bounded + "|drift=10000"}, []string{"alignment=shop,10s"}},
	{"assigner-behind-source", "window", []string{"Orders|whatif-skew|2" + bounded + "|place=downstream"}, []string{"Orders|whatif-skew|2" + bounded}, []string{"Orders.place=source"}},
}

var load = []string{"whatif-orders:4:40:lateMs=1500", "whatif-silent3:4:40:silent=3", "whatif-quiet:2:0", "whatif-late:4:40:lateMs=20000", "whatif-fast:2:20", "whatif-slow:2:20:shiftMs=-40000", "whatif-skew:4:40:slow=2@20000"}

// A change is predicted from a running job and then made: the gauges and counters of the changed job, on the same topics,
// are within the predicted ranges.
func TestChangesOnLiveClusterDoWhatTheTwinSaid(t *testing.T) {
	l := lab{t, os.Getenv("TIDEMARK_LAB_REST"), os.Getenv("TIDEMARK_LAB_KAFKA"), os.Getenv("TIDEMARK_LAB_LIB"), cmp.Or(os.Getenv("TIDEMARK_LAB_VERSION"), "2.3.0")}
	if l.rest == "" || l.kafka == "" || l.lib == "" {
		t.Skip("needs the lines of `testdata/lab/lab env` in the environment")
	}
	l.produce()
	jar := l.upload()
	ids := map[string]string{}
	t.Cleanup(func() {
		for _, id := range ids {
			l.ask("PATCH", "/jobs/"+id+"?mode=cancel", nil)
		}
	})
	for _, p := range pairs {
		ids[p.name] = l.submit(jar, append([]string{l.kafka, "whatif-" + p.name, p.kind}, p.sources...))
		ids[p.name+"-changed"] = l.submit(jar, append([]string{l.kafka, "whatif-" + p.name + "-changed", p.kind}, p.changed...))
	}
	time.Sleep(160 * time.Second) // windows, idle timeouts and the pauses of alignment have come and gone
	client, err := flinkapi.NewClient(flinkapi.ClientOptions{URL: l.rest})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("| case | change | Flink | watermarks | furthest | rows of windows: twin | measured | late: twin | measured |")
	for _, p := range pairs {
		t.Run(p.name, func(t *testing.T) { l.judge(t, client, p, ids) })
	}
}

func (l lab) judge(t *testing.T, client *flinkapi.Client, p pair, ids map[string]string) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "both.jsonl")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.Capture(ctx, flinkapi.CaptureOptions{Jobs: []string{ids[p.name], ids[p.name+"-changed"]}, Record: func(e flinkapi.Entry) { _ = flinkapi.WriteEntry(file, e) }})
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	r := Defaults()
	r.Job.Jobs, r.Job.From, r.Connection.Brokers = []string{ids[p.name]}, []string{path}, []string{l.kafka}
	r.EventTime.Format, r.EventTime.Field, r.Key = "csv", "2", "1"
	x, store, _, err := r.read(ctx, request.Background())
	if err != nil {
		t.Fatal(err)
	}
	set, err := ParseSettings("set", p.set)
	if err != nil {
		t.Fatal(err)
	}
	one, changed, why, err := prepare(x, store.logs, 30_000, nil, columnsOf(set))
	if err != nil || why != "" {
		t.Fatal(why, err)
	}
	if text := one.fit.Unfit(); text != "" {
		t.Fatalf("the twin does not reproduce the job as it is: %d of %d differ: %s", one.fit.Differ, one.fit.Compared, text)
	}
	d := changed[0]
	playbacks, err := one.play(d, one.moments(d))
	if err != nil {
		t.Fatal(err)
	}
	var real *model.Job
	for _, jc := range c.Jobs {
		if jc.ID == ids[p.name+"-changed"] {
			real = model.BuildJob(c, jc)
		}
	}
	fit := &Fit{}
	rows, late := "-", "-"
	rowsWas, lateWas := "-", "-"
	for _, vx := range x.Job().Vertices {
		shown := twinOf(real, vx)
		if shown == nil {
			t.Fatalf("the changed job has no %s", vx.Name)
		}
		for _, s := range one.samples() {
			one.fitVertex(fit, d, playbacks, s, vx, shown)
		}
		before := len(fit.Rows)
		one.fitLate(fit, d, playbacks, vx, shown)
		for _, row := range fit.Rows[before:] {
			late, lateWas = fmt.Sprintf("%d to %d", row.Records.From, row.Records.To), fmt.Sprint(row.Records.Shown)
		}
		for k, op := range shown.Chain {
			if op.Kind != model.KindWindow {
				continue
			}
			measured := int64(0)
			for _, sub := range shown.Subtasks {
				n, ok := sub.Ops[k].RecordsOut.Rise()
				if !ok {
					t.Fatal("no numRecordsOut of the window")
				}
				measured += int64(n)
			}
			o := one.sentBetween(d, playbacks, vx, playbacks[nominal].operator(vx, op))
			rows, rowsWas = fmt.Sprintf("%d to %d", o.From, o.To), fmt.Sprint(measured)
			if measured < o.From || measured > o.To {
				t.Errorf("%s sent %d rows, the twin said %s", op.Name, measured, rows)
			}
		}
	}
	for _, row := range fit.Rows {
		if !row.Fits {
			t.Errorf("changed: %s", row.Sentence())
		}
	}
	t.Logf("| %s | %s | %s | %d of %d | %s | %s | %s | %s | %s |", p.name, strings.Join(p.set, " "), l.version, fit.Compared-fit.Differ, fit.Compared, units.Duration(fit.Furthest), rows, rowsWas, late, lateWas)
}

// sentBetween is the smallest and the largest number of rows that an operator emits between the samples.
func (b *base) sentBetween(d *design, f playbacks, vx *model.Vertex, at int) (o OffsetRow) {
	lo0, hi0 := b.before.of(vx)
	lo1, hi1 := b.now.of(vx)
	n := func(v variant, ms int64) (n int64) {
		for _, t := range f[v].at[ms].Operators[at].Subtasks {
			n += t.Sent
		}
		return n
	}
	// A window that loses all records of a key in the early run emits one row less.
	first := []int64{n(late, lo0), n(late, hi0), n(early, hi0+ahead(d)), n(nominal, lo0), n(nominal, hi0)}
	last := []int64{n(late, lo1), n(late, hi1), n(early, hi1+ahead(d)), n(nominal, lo1), n(nominal, hi1)}
	o.From, o.To = max(slices.Min(last)-slices.Max(first), 0), slices.Max(last)-slices.Min(first)
	return o
}

// twinOf is the vertex of a job that corresponds to one of another job: the same head, and for sources the same name.
func twinOf(j *model.Job, vx *model.Vertex) *model.Vertex {
	for _, v := range j.Vertices {
		if v.Head() != nil && vx.Head() != nil && v.Head().Name == vx.Head().Name {
			return v
		}
	}
	return nil
}

// lab is a running lab.
type lab struct {
	t                         *testing.T
	rest, kafka, lib, version string
}

func (l lab) script(args ...string) {
	l.t.Helper()
	c := exec.Command("../../testdata/lab/lab", args...)
	c.Stdout, c.Stderr = os.Stderr, os.Stderr
	if err := c.Run(); err != nil {
		l.t.Fatalf("lab %v: %v", args, err)
	}
}

func (l lab) produce() { l.script(append([]string{"produce", "600"}, load...)...) }

// upload compiles the lab's jobs against the cluster's jars and gives them to it.
func (l lab) upload() string {
	l.t.Helper()
	dir := l.t.TempDir()
	compat := "flink2"
	if strings.HasPrefix(l.version, "1.") {
		compat = "flink1"
	}
	var files []string
	for _, pattern := range []string{"../../testdata/lab/java/jobs/*.java", "../../testdata/lab/compat/" + compat + "/*.java"} {
		some, err := filepath.Glob(pattern)
		if err != nil {
			l.t.Fatal(err)
		}
		files = append(files, some...)
	}
	for _, c := range []*exec.Cmd{
		exec.Command("javac", append([]string{"-nowarn", "-d", dir + "/classes", "-cp", l.lib + "/*"}, files...)...),
		exec.Command("jar", "cf", dir+"/jobs.jar", "-C", dir+"/classes", "."),
	} {
		if out, err := c.CombinedOutput(); err != nil {
			l.t.Fatalf("%v: %v\n%s", c.Args[0], err, out)
		}
	}
	data, err := os.ReadFile(dir + "/jobs.jar")
	if err != nil {
		l.t.Fatal(err)
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("jarfile", "whatif.jar")
	if err != nil {
		l.t.Fatal(err)
	}
	_, _ = part.Write(data)
	_ = form.Close()
	res, err := http.Post(l.rest+"/jars/upload", form.FormDataContentType(), &body)
	if err != nil {
		l.t.Fatal(err)
	}
	defer res.Body.Close()
	var answer struct{ Filename string }
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil || answer.Filename == "" {
		l.t.Fatalf("upload: %v, %s", err, res.Status)
	}
	return filepath.Base(answer.Filename)
}

func (l lab) submit(jar string, args []string) string {
	l.t.Helper()
	body, _ := json.Marshal(map[string]any{"entryClass": "WhatIf", "programArgsList": args})
	var answer struct{ JobID string }
	if text := l.ask("POST", "/jars/"+jar+"/run", body); json.Unmarshal(text, &answer) != nil || answer.JobID == "" {
		l.t.Fatalf("submit %v: %.600s", args, text)
	}
	return answer.JobID
}

func (l lab) ask(method, path string, body []byte) []byte {
	q, err := http.NewRequest(method, l.rest+path, bytes.NewReader(body))
	if err != nil {
		l.t.Fatal(err)
	}
	q.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(q)
	if err != nil {
		l.t.Fatal(err)
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(res.Body)
	return text
}
