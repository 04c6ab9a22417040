package recommend

import (
	"context"
	"errors"
	"fmt"

	"tidemark/kafkastats"
	"tidemark/kafkastats/advise"
	"tidemark/kafkastats/decode"
	"tidemark/kafkastats/eventtime"
	"tidemark/kafkastats/hist"
	"tidemark/kafkastats/measure"
	"tidemark/kafkastats/record"
	"tidemark/request"
)

// Run measures and recommends. An error next to a recommendation says why it covers only a part,
// or that the reading was interrupted; a request.Mistake must be fixed by the caller.
func Run(ctx context.Context, p request.Process, r Request) (Result, error) {
	if err := r.Check(); err != nil {
		return Result{}, err
	}
	if r.Within > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, r.Within)
		defer cancel()
	}
	if r.Records.Path != "" {
		defer boundMemory(p.Getenv, fileMemory)()
	}
	m := &measuring{Request: r, Process: p, advice: r.advice()}
	out, err := m.read(ctx)
	res := Result{Target: m.advice.Target, Units: m.advice.UnitClasses, Statements: m.statements}
	if out.Measurement == nil {
		return res, err
	}
	for _, e := range out.Errors {
		p.Note("undecodable: " + e.Error())
	}
	var none error
	if out.Measurement, none = m.ofHours(out.Measurement); none != nil {
		return res, none
	}
	res.LastArrival = out.Measurement.Span.LastArrival
	m.advice.Incomplete, m.advice.Candidates = out.Incomplete, m.candidates(out)
	m.advice.By, m.advice.Groups, m.advice.Duplicates = m.By, out.By, out.Duplicates
	m.advice.Facts.Transactions = m.advice.Facts.Transactions || out.Control > 0
	found := advise.Recommend(out.Measurement, m.advice)
	if verr := m.verify(ctx, out, &found); verr != nil {
		return res, verr
	}
	res.Recommendation = &found
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		err = fmt.Errorf("%w: %w", context.Canceled, errors.New("interrupted: the result covers what was read"))
	case err == nil && out.Incomplete != "" && r.Part.Live == 0:
		err = fmt.Errorf("incomplete: %s", out.Incomplete)
	}
	return res, err
}

// measuring is a running request; what the source reports is added to advice.
type measuring struct {
	Request
	request.Process
	advice     advise.Options
	statements []string
	found      decode.Found
	rivals     []*decode.Extractor // other candidates
	rivalOf    []int               // their indices among the candidates
	decoded    decode.Options
	by         func(*record.Raw) string // nil: not requested
}

func (m *measuring) read(ctx context.Context) (kafkastats.Outcome, error) {
	mode, err := m.mode()
	if err != nil {
		return kafkastats.Outcome{}, err
	}
	switch mode {
	case modeRecords:
		return m.fromRecords(ctx)
	case modeProfile:
		return m.fromProfiles()
	case modeFlink:
		return m.fromFlink(ctx)
	}
	return m.fromTopic(ctx)
}

// advice converts the demand; Check has refused an invalid one.
func (r *Request) advice() advise.Options {
	d := r.Demand
	target, _ := r.target()
	return advise.Options{Topic: r.Topic, Target: target, ByDrops: d.Dropped != "", SLAMs: d.SLA.Milliseconds(), WindowMs: d.Window.Milliseconds(),
		AllowedLateness: d.Lateness.Milliseconds(), EmitMs: d.Emit.Milliseconds(), ProcessingMs: d.Processing.Milliseconds(),
		CycleMs: d.Cycle.Milliseconds(), Column: d.Column}
}

// keptPoints is the number of points kept for the replay: about 50 MB.
const keptPoints = 1_000_000

func (m *measuring) options(e *decode.Extractor) kafkastats.Options {
	o := kafkastats.Options{Extractor: e, Rivals: m.rivals, MaxErrors: m.MaxErrors}
	o.Measure = measure.Options{IdleMs: m.Idle.Milliseconds(), FutureMs: m.Future.Milliseconds(), EmitMs: m.Demand.Emit.Milliseconds()}
	if m.Demand.Window > 0 {
		o.Measure.Windows = []int64{m.Demand.Window.Milliseconds()}
	}
	if m.Exact {
		o.Measure.Exact = &hist.Budget{Left: hist.DefaultBudget}
	}
	o.By, o.Duplicates = m.by, m.decoded.Format != decode.Raw && m.decoded.Format != decode.Timestamp
	if m.replays() {
		o.Keep = keptPoints
	}
	return o
}

// state notes how the event times were written.
func (m *measuring) state(e *decode.Extractor, d decode.Options) {
	unit, classes, zone, detected := e.Seen()
	field := d.Field
	if field == "" {
		field = d.Format
	}
	m.advice.EventTime = advise.EventTime{Field: field, Format: d.Format, Unit: unit, Zone: zone, Detected: detected, Envelope: m.found.Envelope, Looked: m.found.Looked}
	if d.Unit == eventtime.Auto && len(classes) > 1 {
		m.advice.UnitClasses = classes
	}
}
