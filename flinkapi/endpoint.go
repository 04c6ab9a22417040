package flinkapi

import (
	"net/url"
	"strings"
)

// Endpoint is a kind of REST request.
type Endpoint string

// The endpoints that are read; Vertex and Job represent everything about one of them.
const (
	ClusterOverview  Endpoint = "overview"              // GET /overview
	ClusterDashboard Endpoint = "dashboard"             // GET /config
	ClusterConfig    Endpoint = "cluster configuration" // GET /jobmanager/config
	TaskManagerList  Endpoint = "TaskManagers"          // GET /taskmanagers
	JobList          Endpoint = "list of jobs"          // GET /jobs/overview
	JobAnswer        Endpoint = "job"                   // GET /jobs/:jobid
	JobPlan          Endpoint = "plan"
	JobConfiguration Endpoint = "job configuration"
	JobExceptions    Endpoint = "exceptions"
	JobCheckpoints   Endpoint = "checkpoints"
	CheckpointSetup  Endpoint = "checkpoint configuration"
	JobMetrics       Endpoint = "job metrics"
	VertexAnswer     Endpoint = "vertex"     // GET …/vertices/:vertexid: subtasks, attempts, where they run
	VertexWatermarks Endpoint = "watermarks" // GET …/watermarks: input watermark of every subtask
	VertexTimes      Endpoint = "subtask times"
	VertexPressure   Endpoint = "back-pressure" // also gives the time of the metric fetch
	MetricIDList     Endpoint = "list of metrics"
	MetricValues     Endpoint = "metrics"
	AggregateIDList  Endpoint = "list of aggregated metrics"
	AggregateValues  Endpoint = "aggregated metrics"
	CoordinatorList  Endpoint = "list of coordinator metrics" // since 1.20
	CoordinatorValue Endpoint = "coordinator metrics"
	OtherEndpoint    Endpoint = "other"
)

// form is the shape of an endpoint's answer: a list, or an object with at least one of the keys.
type form struct {
	endpoint Endpoint
	keys     []string // nil = a list
	values   Endpoint // the endpoint when the query has get
}

// below are the paths below a job; * represents a vertex.
var below = map[string]form{
	"":                   {JobAnswer, []string{"jid"}, ""},
	"plan":               {JobPlan, []string{"plan"}, ""},
	"config":             {JobConfiguration, []string{"execution-config"}, ""},
	"exceptions":         {JobExceptions, []string{"exceptionHistory", "root-exception", "all-exceptions"}, ""},
	"checkpoints":        {JobCheckpoints, []string{"counts"}, ""},
	"checkpoints/config": {CheckpointSetup, []string{"mode", "interval"}, ""},
	"metrics":            {JobMetrics, nil, JobMetrics},

	"vertices/*":                     {VertexAnswer, []string{"subtasks"}, ""},
	"vertices/*/watermarks":          {VertexWatermarks, nil, ""},
	"vertices/*/subtasktimes":        {VertexTimes, []string{"subtasks"}, ""},
	"vertices/*/backpressure":        {VertexPressure, []string{"status", "end-timestamp", "backpressureLevel"}, ""},
	"vertices/*/metrics":             {MetricIDList, nil, MetricValues},
	"vertices/*/subtasks/metrics":    {AggregateIDList, nil, AggregateValues},
	"vertices/*/jm-operator-metrics": {CoordinatorList, nil, CoordinatorValue},
}

// above are the paths about the cluster.
var above = map[string]form{
	"overview":          {ClusterOverview, []string{"flink-version", "taskmanagers"}, ""},
	"config":            {ClusterDashboard, []string{"flink-version", "refresh-interval"}, ""},
	"jobmanager/config": {ClusterConfig, nil, ""},
	"taskmanagers":      {TaskManagerList, []string{"taskmanagers"}, ""},
	"jobs/overview":     {JobList, []string{"jobs"}, ""},
}

// question is what a path asks for.
type question struct {
	form
	job, vertex string
	ids         []string // metric ids of the query
}

// asks parses a path; segments and query are those of Entry.Route.
func asks(seg []string, query url.Values) question {
	var q question
	if len(seg) >= 2 && seg[0] == "jobs" && isHexID(seg[1]) {
		q.job = seg[1]
		rest := append([]string(nil), seg[2:]...)
		if len(rest) >= 2 && rest[0] == "vertices" {
			q.vertex, rest[1] = rest[1], "*"
		}
		q.form = below[strings.Join(rest, "/")]
	} else {
		q.form = above[strings.Join(seg, "/")]
	}
	if q.endpoint == "" {
		q.endpoint = OtherEndpoint
	}
	if get := query.Get("get"); get != "" {
		q.ids = strings.Split(get, ",")
		if q.values != "" {
			q.endpoint = q.values
		}
	}
	return q
}
