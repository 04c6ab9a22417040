// Package live reads what a crosscheck compares: samples of a running job, or of its recording, and the
// records that its sources read. A Request says which; Run gives the comparison.
package live

import (
	"context"
	"errors"

	"tidemark/analyze"
	"tidemark/analyze/crosscheck"
	"tidemark/analyze/model"
	"tidemark/engine"
	"tidemark/engine/simulate"
	"tidemark/flinkapi"
	"tidemark/internal/units"
	"tidemark/kafkastats/broker"
	"tidemark/kafkastats/decode"
	"tidemark/kafkastats/record"
	"tidemark/request"
)

// Request asks for the crosscheck of one job. Defaults gives one to begin with; Run checks it first.
type Request struct {
	Given      request.Given // settings that were said: one that the source cannot use is refused
	Job        flinkapi.Reading
	Samples    int      `flag:"samples" doc:"how many samples to take of the job"`
	Records    []string `flag:"records" doc:"file of records in place of a broker: kcat -J lines or CSV, - for standard input; may repeat, a topic each" file:"true"`
	Format     string   `flag:"records-format" doc:"kcat, csv (partition, arrival, event) or auto: csv where the name ends in .csv or .csv.gz" words:"auto,kcat,csv"`
	Connection broker.Options
	Topics     request.List `flag:"topic" doc:"exact names of topics, where metric names do not tell them (dots become underscores there)"`
	All        bool         `flag:"all" doc:"read partitions from their start; without it at most the last 1,000,000 records before the reader's offset"`
	EventTime  decode.Where
	Declared   simulate.Strategy // in force where it was given; of a file, what its entries leave out
	File       string            `flag:"strategies" doc:"YAML file of declared strategies, named like the sources" file:"true"`
	// Hear, if set, is given each record with an event time (epoch ms), a partition's in the order of their
	// offsets. Split is as metric ids spell it. The record is valid until Hear returns.
	Hear func(split string, r *record.Raw, event int64)
}

// Defaults is a request that only lacks its job, its records and where the event time is.
func Defaults() Request {
	return Request{Samples: 2, Format: "auto", EventTime: decode.Detected(), Declared: simulate.DefaultStrategy()}
}

// Result is what was compared and what came of it. Damage says why a part of the job could not be read.
type Result struct {
	Crosscheck *crosscheck.Crosscheck
	Report     analyze.JobReport
	Capture    *flinkapi.Capture
	Damage     []error
}

// The modes of a request, as they stand in a message.
const (
	modeFiles = "files of records are read"
	modeKafka = "topics are read"
)

var uses = []request.Use{
	{Settings: []string{"brokers", "kafka-config", "rack", "topic", "all"}, By: []string{modeKafka}, Why: "no broker is contacted"},
	{Settings: []string{"records-format", "csv"}, By: []string{modeFiles}, Why: "it is the format of --records"},
	{Settings: []string{"place", "parallelism", "flink-version"}, Why: "the job itself shows it"},
}

// Check refuses what cannot be met before anything is read. The error is a request.Mistake.
func (r *Request) Check() error {
	_, _, err := r.check()
	return err
}

func (r *Request) check() (promised []simulate.Strategy, e *decode.Reader, err error) {
	mode := modeKafka
	if len(r.Records) > 0 {
		mode = modeFiles
	}
	if r.Samples < 1 || r.Samples > 100 {
		return nil, nil, request.Wrong("samples", "is %d; it takes 1 to 100", r.Samples)
	}
	if len(r.Job.From) > 0 && r.Samples > 1 {
		err = r.Given.Unused("a recording has the samples that were taken", "samples")
	}
	if r.Job.Once && r.Samples > 1 {
		err = errors.Join(err, r.Given.Unused("--once takes one sample", "samples"))
	}
	r.Job.Given = r.Given
	if err = errors.Join(err, request.CheckWords(r), r.Given.CheckUse(mode, uses), r.Job.Check(), r.Declared.Check()); err != nil {
		return nil, nil, err
	}
	if r.File != "" {
		if promised, err = simulate.Strategies(r.Declared, nil, r.File); err != nil {
			return nil, nil, err
		}
	}
	e, err = r.EventTime.Reader(context.Background(), r.Given, r.columns())
	return promised, e, err
}

func (r *Request) file(path string) record.File { return record.File{Path: path, Format: r.Format} }

// columns reports whether records come as CSV rows.
func (r *Request) columns() bool {
	for _, path := range r.Records {
		if r.file(path).Columns() {
			return true
		}
	}
	return false
}

// Run reads the job and its records and compares them.
func Run(ctx context.Context, p request.Process, r Request) (Result, error) {
	promised, e, err := r.check()
	if err != nil {
		return Result{}, err
	}
	out, jobs, err := r.watch(ctx)
	if err != nil {
		return out, err
	}
	x := &crosscheck.Crosscheck{Jobs: jobs, Version: engine.Latest}
	if v, err := engine.ParseVersion(out.Capture.FlinkVersion()); err == nil {
		x.Version = v
	}
	sources := crosscheck.CrosscheckSources(jobs)
	data, err := r.read(ctx, p, sources, e)
	if err != nil {
		return out, err
	}
	for i, src := range sources {
		x.Sources = append(x.Sources, r.sourceOf(src, data[i], x.Job(), promised, len(sources)))
	}
	out.Crosscheck, out.Report = x, x.Run()
	return out, nil
}

// watch takes the samples and makes a model of each consecutive pair.
func (r *Request) watch(ctx context.Context) (Result, []*model.Job, error) {
	job := r.Job
	job.Once = job.Once || r.Samples == 1
	var out Result
	for out.Capture == nil || len(out.Capture.Jobs[0].Samples) < r.Samples && len(job.From) == 0 && job.Taken == nil && !job.Once {
		got, err := job.Read(ctx)
		out.Damage = append(out.Damage, got.Damage...)
		if err != nil {
			return out, nil, err
		}
		if len(got.Captures) != 1 || len(got.Captures[0].Jobs) != 1 {
			return out, nil, request.Badf("crosscheck looks at one job; %q names more", job.Jobs[0])
		}
		more := got.Captures[0]
		if out.Capture == nil {
			out.Capture = more
			continue
		}
		all := out.Capture.Jobs[0]
		all.Samples = append(all.Samples, more.Jobs[0].Samples...)
		out.Capture.ReadAt = more.ReadAt
	}
	jc := out.Capture.Jobs[0]
	samples := jc.Samples
	if len(samples) < 2 {
		return out, []*model.Job{model.BuildJob(out.Capture, jc)}, nil
	}
	var jobs []*model.Job
	for i := 1; i < len(samples); i++ {
		jc.Samples = samples[i-1 : i+1]
		jobs = append(jobs, model.BuildJob(out.Capture, jc))
	}
	return out, jobs, nil
}

// sourceOf joins a source with its records and what is declared for it.
func (r *Request) sourceOf(src crosscheck.CrosscheckSource, d topicData, j *model.Job, promised []simulate.Strategy, sources int) *crosscheck.CrossSource {
	s := &crosscheck.CrossSource{Vertex: src.Vertex, Data: d.partitions, Missing: d.missing, Declared: src.Plan, SQL: src.SQL, OnEvent: src.Event}
	s.IntervalMs, s.IntervalBy = 200, "Flink's default"
	if d, err := units.ParseFlinkDuration(j.Config["pipeline.auto-watermark-interval"]); err == nil {
		s.IntervalMs, s.IntervalBy = d.Milliseconds(), "cluster configuration"
	}
	take := func(p simulate.Strategy, origin string) {
		s.Declared = &crosscheck.Promise{DelayMs: p.Delay.Milliseconds(), IdleMs: p.Idle.Milliseconds(), Origin: origin}
	}
	own := r.Declared
	if r.Given["emit-interval"] {
		s.IntervalMs, s.IntervalBy = own.Interval.Milliseconds(), "--emit-interval"
	}
	if r.Given["delay"] || r.Given["kind"] {
		take(own, "--delay")
	}
	if r.Given["dialect"] {
		s.SQL = own.SQL()
	}
	if r.Given["emit"] {
		s.OnEvent = own.OnEvent()
	}
	for _, p := range promised {
		if p.Name == src.Name || len(promised) == 1 && sources == 1 {
			take(p, r.File)
			s.SQL, s.OnEvent = p.SQL(), p.OnEvent()
			s.IntervalMs, s.IntervalBy = p.Interval.Milliseconds(), r.File
		}
	}
	return s
}
