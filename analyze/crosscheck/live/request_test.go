package live

import (
	"context"
	"strings"
	"testing"
	"tidemark/analyze/crosscheck"
	"tidemark/analyze/model"
	"tidemark/engine/simulate"
	"tidemark/internal/expect"
	"tidemark/kafkastats/decode"
	"tidemark/request"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

func TestCrosscheckFindsTheTopicBehindItsMetricName(t *testing.T) {
	cluster, err := kfake.NewCluster(kfake.SeedTopics(4, "shop.orders_eu"))
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	conn := []kgo.Opt{kgo.SeedBrokers(cluster.ListenAddrs()...)}
	var k Request
	for label, want := range map[string]string{"shop_orders_eu": "shop.orders_eu", "other": "other", "no_such": "no_such"} {
		got, err := k.topicName(context.Background(), conn, label)
		if err != nil || got != want {
			t.Errorf("%s is %q (%v), want %q", label, got, err, want)
		}
	}
	k.Topics = []string{"a.b"}
	if got, err := k.topicName(context.Background(), conn, "a_b"); err != nil || got != "a.b" {
		t.Errorf("named topic: %q, %v", got, err)
	}
}

func TestCrosscheckTakesTheStrategyFromItsPlace(t *testing.T) {
	job := &model.Job{Config: map[string]string{"pipeline.auto-watermark-interval": "500 ms"}}
	src := crosscheck.CrosscheckSource{Vertex: &model.Vertex{}, Name: "Orders", SQL: true, Plan: &crosscheck.Promise{DelayMs: 7000, Origin: "plan"}}
	o := Defaults()
	s := o.sourceOf(src, topicData{}, job, nil, 1)
	if s.Declared.DelayMs != 7000 || !s.SQL || s.IntervalMs != 500 || s.IntervalBy != "cluster configuration" {
		t.Errorf("from the plan: %+v, %+v", s, s.Declared)
	}
	o.Given = request.Given{"delay": true, "dialect": true, "emit-interval": true}
	o.Declared.Delay, o.Declared.Interval = 3*time.Second, time.Second
	s = o.sourceOf(src, topicData{}, job, nil, 1)
	if s.Declared.DelayMs != 3000 || s.Declared.Origin != "--delay" || s.SQL || s.IntervalMs != 1000 {
		t.Errorf("from flags: %+v, %+v", s, s.Declared)
	}
	o.File = "f.yaml"
	named, other := simulate.DefaultStrategy(), simulate.DefaultStrategy()
	named.Name, named.Delay, named.Dialect = "Orders", time.Minute, "sql"
	other.Name = "Payments"
	s = o.sourceOf(src, topicData{}, job, []simulate.Strategy{other, named}, 2)
	if s.Declared.DelayMs != 60_000 || s.Declared.Origin != "f.yaml" || !s.SQL || s.IntervalMs != 200 {
		t.Errorf("from the file: %+v, %+v", s, s.Declared)
	}
}

func TestRecordsOfAFileBelongToTheirTopic(t *testing.T) {
	sources := []crosscheck.CrosscheckSource{
		{Topics: []string{"a"}, Splits: []crosscheck.CrosscheckSplit{{ID: "a-0", Topic: "a", Offset: 1}, {ID: "a-1", Topic: "a", Partition: 1, Offset: -1}}},
		{Topics: []string{"b"}, Splits: []crosscheck.CrosscheckSplit{{ID: "b-0", Topic: "b", Offset: 0}}},
	}
	e, err := decode.Where{Format: "text", Unit: "ms", Zone: "UTC"}.Reader(context.Background(), nil, false)
	if err != nil {
		t.Fatal(err)
	}
	lines := `{"topic":"a","partition":0,"offset":0,"tstype":"create","ts":10,"payload":"5"}
{"topic":"a","partition":0,"offset":1,"tstype":"create","ts":20,"payload":"x"}
{"topic":"c","partition":7,"offset":0,"tstype":"create","ts":20,"payload":"7"}
`
	p := request.Background()
	p.In = strings.NewReader(lines)
	k := Request{Records: []string{"-"}}
	data, err := k.read(context.Background(), p, sources, e)
	if err != nil {
		t.Fatal(err)
	}
	a := data[0].partitions["a-0"]
	if a.Records != 1 || a.Unusable != 1 || a.End != 2 || !a.Complete || data[0].partitions["a-1"] == nil || data[0].missing != "" {
		t.Errorf("a: %+v of %v, %q", a, data[0].partitions, data[0].missing)
	}
	if !strings.Contains(data[1].missing, "no record of topic b") {
		t.Errorf("b: %q", data[1].missing)
	}
	p.In = strings.NewReader("0,10,5\n")
	k.Format = "csv"
	_, err = k.read(context.Background(), p, sources, e)
	expect.Error(t, err, "stdin:1: the record names no topic")
}
