package catalog

import (
	"tidemark/analyze/model"
	"tidemark/flinkapi"
)

// What comes with the job itself.
var (
	JobState   = Reading{Text: "job state", In: always}
	JobType    = Reading{Text: "job type", In: always}
	Uptime     = Reading{Text: "uptime", In: always}
	Restarts   = Reading{Text: "numRestarts", In: always}
	Exceptions = Reading{Text: "exceptions", In: always}
)

// What is read of a cluster or of a job as a whole.
var (
	FlinkVersion = Reading{Text: "Flink version", In: func(j *model.Job) bool { return j.Version.Known() }}
	TwoSamples   = Reading{Text: "two samples", In: (*model.Job).Compared, Missing: func(j *model.Job) string {
		return j.OneFetch() + ": what moves and what rises cannot be determined"
	}}
	Plan = Reading{Text: "plan", In: func(j *model.Job) bool { return len(j.Now.Plan.Nodes) > 0 }}
	// PlanSQL is what SQL scans say of their watermark: Flink 2.3 leaves it out of the plan.
	PlanSQL = Reading{Text: "plan (SQL before 2.3)", In: ofSources(func(j *model.Job, v *model.Vertex) bool {
		d, ok := j.Declared(v)
		return ok && d.IdleKnown
	})}
)

// What metrics tell of sources.
var (
	SourceWatermark = Reading{Text: "source output watermark", Hides: isVertexWatermark, Sources: true, In: ofSources(func(_ *model.Job, v *model.Vertex) bool {
		return v.MinOut().Now.Readable() || v.AnyKnown()
	})}
	RecordsOut       = Reading{Text: "numRecordsOut", In: ofSources(func(_ *model.Job, v *model.Vertex) bool { return told(v.Records()) })}
	SplitMetrics     = Reading{Text: "split metrics (2.1+)", Hides: isSplitWatermark, Sources: true, In: tellsSplits}
	SplitPauses      = Reading{Text: "split pause metrics (2.1+)", In: tellsSplits}
	IdleSplitMetrics = Reading{Text: "split metrics (2.1+) of an idle split", In: tellsSplits}
	SeveralSubtasks  = Reading{Text: "several source subtasks", In: ofSources(func(_ *model.Job, v *model.Vertex) bool { return len(v.Subtasks) > 1 })}
	KafkaOffsets     = Reading{Text: "Kafka offsets", In: ofSources(func(_ *model.Job, v *model.Vertex) bool { return v.NamesSplits() })}
	EmitLag          = Reading{Text: "currentEmitEventTimeLag", In: ofSubtasks(func(s *model.Subtask) bool { return told(s.EmitLag) })}
	PendingRecords   = Reading{Text: "pendingRecords", In: ofSubtasks(func(s *model.Subtask) bool { return told(s.Pending) })}
	// AlignmentDrift is not there where nothing is aligned: that its source was read must do.
	AlignmentDrift = Reading{Text: "watermarkAlignmentDrift", In: func(j *model.Job) bool {
		return len(j.AlignedSubtasks()) > 0 || ofSubtasks(func(s *model.Subtask) bool { return told(s.Records) })(j)
	}}
)

// What metrics tell of any vertex.
var (
	OperatorWatermarks = Reading{Text: "operator watermarks", Hides: isVertexWatermark, In: ofVertices(hasWatermarks)}
	// LateCounters are met without one where no operator counts: there is nothing to count, unless
	// metrics are missing altogether.
	LateCounters = Reading{Text: "late counters", Hides: flinkapi.MetricID.IsLateCounter, In: func(j *model.Job) bool {
		return ofVertices(func(v *model.Vertex) bool { return len(v.Late) > 0 })(j) ||
			len(j.Now.Plan.Nodes) > 0 && !ofVertices(countsLate)(j) && ofVertices(hasWatermarks)(j)
	}}
	BusyTime = Reading{Text: "busy and backpressured time", In: ofVertices(func(v *model.Vertex) bool {
		for _, s := range v.Subtasks {
			if told(s.Busy) || told(s.Backpressured) {
				return true
			}
		}
		return false
	})}
)

// What is read next to a job, or in place of one.
var (
	SQLScript        = Named("SQL script")
	SQLGateway       = Named("SQL gateway")
	PartitionOffsets = Named("currentOffset per partition")
	TopicRecords     = Named("the topic's records")
	TopicOffsets     = Named("the topic's offsets")
	SplitWatermarks  = Named("split watermarks")
	SourceOutputs    = Named("source outputs")
	MeasuredRecords  = Named("records, of recommend")
)

var tellsSplits = ofSources(func(_ *model.Job, v *model.Vertex) bool { return model.SplitsTellWatermarks(v) })

func always(*model.Job) bool { return true }

func told(g model.Gauge) bool {
	_, ok := g.Value()
	return ok
}

func isVertexWatermark(m flinkapi.MetricID) bool {
	return m.Name == "currentOutputWatermark" || m.Name == "currentInputWatermark"
}

func isSplitWatermark(m flinkapi.MetricID) bool { return m.Name == "currentWatermark" }

// ofVertices is met by one vertex that has it, ofSources by one source, ofSubtasks by one subtask of a source.
func ofVertices(has func(*model.Vertex) bool) func(*model.Job) bool {
	return func(j *model.Job) bool {
		for _, v := range j.Vertices {
			if has(v) {
				return true
			}
		}
		return false
	}
}

func ofSources(has func(*model.Job, *model.Vertex) bool) func(*model.Job) bool {
	return func(j *model.Job) bool {
		return ofVertices(func(v *model.Vertex) bool { return v.IsSource() && has(j, v) })(j)
	}
}

func ofSubtasks(has func(*model.Subtask) bool) func(*model.Job) bool {
	return ofSources(func(_ *model.Job, v *model.Vertex) bool {
		for _, s := range v.Subtasks {
			if has(s) {
				return true
			}
		}
		return false
	})
}

func hasWatermarks(v *model.Vertex) bool {
	for _, s := range v.Subtasks {
		if s.In.Now.Readable() || s.Out().Now.Readable() {
			return true
		}
	}
	for _, op := range v.Chain {
		if op.Out.Now.Readable() || op.In.Now.Readable() {
			return true
		}
	}
	return false
}

// countsLate reports an operator that would have a late counter.
func countsLate(v *model.Vertex) bool {
	for _, op := range v.Chain {
		if op.Kind.CountsLate() {
			return true
		}
	}
	return false
}
