package recommend

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"tidemark/request"
)

// What a source cannot use is refused before anything is read, and the mistake names the setting.
func TestCheckRefusesWhatTheSourceCannotUse(t *testing.T) {
	topic := func(r *Request) { r.Topic = "orders" }
	file := func(r *Request) { r.Records.Path = "f.jsonl" }
	profile := func(r *Request) { r.Profiles = []string{"p"} }
	flink := func(r *Request) {
		topic(r)
		r.Flink.On, r.Flink.DryRun, r.EventTime.Field, r.EventTime.Unit = "flink", true, "ts", "ms"
	}
	live := func(r *Request) { topic(r); r.Part.Live = time.Minute }
	for _, c := range []struct {
		name    string
		source  func(*Request)
		given   string
		refused bool
	}{
		{"topic", topic, "last", false}, {"topic", topic, "records-format", true}, {"topic", topic, "flink-format", true}, {"topic", topic, "segments", false},
		{"file", file, "last", false}, {"file", file, "since", false}, {"file", file, "segments", true}, {"profile", profile, "last", true}, {"file", file, "brokers", true}, {"file", file, "for", true}, {"file", file, "records-format", false},
		{"profile", profile, "field", true}, {"profile", profile, "exact", true}, {"profile", profile, "hours", false}, {"profile", profile, "zone", true}, {"profile", profile, "within", true},
		{"flink", flink, "segments", true}, {"flink", flink, "format", true}, {"flink", flink, "field", false}, {"flink", flink, "last", false}, {"flink", flink, "hours", true},
		{"live", live, "last", true}, {"live", live, "for", false}, {"live", live, "rack", false},
	} {
		r := Defaults()
		c.source(&r)
		r.Given = request.Given{c.given: true}
		err := r.Check()
		var m *request.Mistake
		if refused := errors.As(err, &m) && m.Setting == c.given; refused != c.refused || !c.refused && err != nil {
			t.Errorf("%s with --%s: %v", c.name, c.given, err)
		}
	}
}

func TestCheckNamesTheSettingThatIsWrong(t *testing.T) {
	for setting, change := range map[string]func(*Request){
		"sla":              func(r *Request) { r.Demand.SLA = -1 },
		"target-late":      func(r *Request) { r.Demand.Late = "often" },
		"target-dropped":   func(r *Request) { r.Demand.Dropped = "1%" },
		"until":            func(r *Request) { r.Part.Until = "noon" },
		"since":            func(r *Request) { r.Part.Since = "7" },
		"hours":            func(r *Request) { r.Part.Hours = "some" },
		"zone":             func(r *Request) { r.EventTime.Zone = "Moon" },
		"format":           func(r *Request) { r.EventTime.Format = "xml" },
		"separator":        func(r *Request) { r.EventTime.Separator = "ab" },
		"unit":             func(r *Request) { r.EventTime.Unit = "h" },
		"on":               func(r *Request) { r.Flink.On = "spark" },
		"profile":          func(r *Request) { r.Profiles = []string{"p"} },
		"records-format":   func(r *Request) { r.Records.Format = "xml" },
		"message":          func(r *Request) { r.Given, r.EventTime.Format = request.Given{"message": true}, "json" },
		"allowed-lateness": func(r *Request) { r.Demand.Lateness = time.Second },
	} {
		r := Defaults()
		r.Topic = "orders"
		change(&r)
		_, err := Run(context.Background(), request.Background(), r)
		var m *request.Mistake
		if !errors.As(err, &m) || m.Setting != setting || !strings.HasPrefix(err.Error(), "--"+setting+" ") || strings.HasPrefix(m.Plain(), "-") {
			t.Errorf("%s: %v", setting, err)
		}
	}
}
