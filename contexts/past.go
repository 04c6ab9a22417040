package contexts

import (
	"context"
	"slices"

	"tidemark/flinkapi"
	"tidemark/flinkapi/prometheus"
	"tidemark/request"
)

// ofCluster are the settings of the cluster that provides the graph; a context may also say how Prometheus is reached.
var ofCluster = slices.DeleteFunc(slices.Clone(flinkapi.ClusterSettings), func(s string) bool { return s == "context" })

// Past is the Prometheus with the past of jobs, and the source of their graph, which Prometheus does not have: the recording
// of the reading, else its cluster if one is named. log is called with a line for every request; nil: no log. It does not
// connect yet.
func (a Access) Past(ctx context.Context, f PrometheusFlags, s flinkapi.Reading, log func(string)) (*prometheus.Client, prometheus.Graph, error) {
	o, match, err := a.Prometheus(ctx, f)
	if err != nil {
		return nil, nil, err
	}
	o.Log = log
	client, err := prometheus.New(prometheus.Options{Connection: o, Match: match})
	if err != nil {
		return nil, nil, request.Bad(err)
	}
	graph, err := a.graph(ctx, s)
	return client, prometheus.AskedOnce(graph), err
}

func (a Access) graph(ctx context.Context, s flinkapi.Reading) (prometheus.Graph, error) {
	if len(s.From) > 1 {
		return nil, request.Wrong("from", "can be given once with --prometheus: it provides the graph")
	}
	if len(s.From) == 1 {
		if err := s.Given.Unused("the recording provides the graph, and no cluster is read", ofCluster...); err != nil {
			return nil, err
		}
		rec, err := flinkapi.OpenRecording(s.From[0], s.In)
		if err != nil {
			return nil, err
		}
		return prometheus.RecordedGraph{Recording: rec}, nil
	}
	def, err := a.Chosen()
	if err != nil {
		return nil, err
	}
	if a.Address()+def.Flink == "" {
		return nil, s.Given.Unused("only Prometheus is read: name the cluster that provides the graph with --flink", ofCluster...)
	}
	client, err := s.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return prometheus.RestGraph{Client: client}, nil
}
