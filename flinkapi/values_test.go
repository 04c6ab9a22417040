package flinkapi_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"tidemark/flinkapi"
)

func TestParseWatermark(t *testing.T) {
	for _, tc := range []struct {
		text  string
		state flinkapi.State
		ms    int64
	}{
		{"1796011286197", flinkapi.Known, 1796011286197},
		{"0", flinkapi.Known, 0},
		{"-1", flinkapi.Known, -1},
		{"9007199254740993", flinkapi.Known, 9007199254740993}, // 2^53+1 does not survive a float
		{"-9223372036854775808", flinkapi.None, 0},
		{"9223372036854775807", flinkapi.End, 0},
		{"9223372036854755807", flinkapi.End, 0}, // MAX minus the 20 s an interval join holds
		{"9223371036854775806", flinkapi.Known, 9223371036854775806},
		{"", flinkapi.Failed, 0},
		{"NaN", flinkapi.Failed, 0},
		{"1.796011286197E12", flinkapi.Failed, 0},
		{"9223372036854775808", flinkapi.Failed, 0},
	} {
		w := flinkapi.ParseWatermark(tc.text)
		ms, known := w.Millis()
		if w.State() != tc.state || ms != tc.ms || known != (tc.state == flinkapi.Known) {
			t.Errorf("%q: %s %d", tc.text, w.State(), ms)
		}
		if lag, ok := w.Lag(1796011286197); ok != known || ok && lag != 1796011286197-tc.ms {
			t.Errorf("%q: lag %d %v", tc.text, lag, ok)
		}
		b, err := json.Marshal(w)
		var back flinkapi.Watermark
		if err != nil || json.Unmarshal(b, &back) != nil || back != w {
			t.Errorf("%q: %s comes back as %v", tc.text, b, back)
		}
	}
}

func TestWatermarkOrder(t *testing.T) {
	ordered := []flinkapi.Watermark{flinkapi.NoWatermark(), flinkapi.KnownWatermark(math.MinInt64 + 1), flinkapi.KnownWatermark(-1), flinkapi.KnownWatermark(5), flinkapi.EndWatermark()}
	for i, a := range ordered {
		for k, b := range ordered {
			if a.Before(b) != (i < k) {
				t.Errorf("%v before %v: %v", a, b, a.Before(b))
			}
		}
		for _, dumb := range []flinkapi.Watermark{{}, flinkapi.AbsentWatermark(), flinkapi.FailedWatermark()} {
			if a.Before(dumb) || dumb.Before(a) || dumb.Readable() {
				t.Errorf("%v is ordered against %v", dumb, a)
			}
		}
	}
	all := append(ordered, flinkapi.FailedWatermark(), flinkapi.AbsentWatermark())
	if got := flinkapi.MinWatermark(all...); got != flinkapi.NoWatermark() {
		t.Errorf("minimum %v", got)
	}
	if got := flinkapi.MaxWatermark(all...); got != flinkapi.EndWatermark() {
		t.Errorf("maximum %v", got)
	}
	if got := flinkapi.MinWatermark(flinkapi.FailedWatermark()); got.State() != flinkapi.Absent {
		t.Errorf("minimum of nothing %v", got)
	}
}

func TestAggregatedWatermark(t *testing.T) {
	for _, tc := range []struct {
		f     float64
		state flinkapi.State
	}{
		{-9.223372036854776e18, flinkapi.None}, {9.223372036854776e18, flinkapi.End}, {1.796014280874e12, flinkapi.Known}, {math.NaN(), flinkapi.Failed},
	} {
		w := flinkapi.AggregatedWatermark(tc.f)
		if w.State() != tc.state {
			t.Errorf("%g: %s", tc.f, w.State())
		}
		if ms, ok := w.Millis(); ok && ms != 1796014280874 {
			t.Errorf("%g: %d", tc.f, ms)
		}
	}
}

func TestLenientNumbers(t *testing.T) {
	var got struct{ A, B, C, D, E flinkapi.Float }
	if err := json.Unmarshal([]byte(`{"a":0.5,"b":"NaN","c":null,"d":"1.5","e":{"x":1}}`), &got); err != nil {
		t.Fatal(err)
	}
	if a, ok := got.A.Value(); a != 0.5 || !ok {
		t.Errorf("number %v %v", a, ok)
	}
	if d, ok := got.D.Value(); d != 1.5 || !ok {
		t.Errorf("quoted %v %v", d, ok)
	}
	for name, f := range map[string]flinkapi.Float{"NaN": got.B, "null": got.C, "object": got.E} {
		if _, ok := f.Value(); ok {
			t.Errorf("%s is a number", name)
		}
	}
	for text, want := range map[string]flinkapi.Int{
		`7`: {V: 7, Valid: true}, `"7"`: {V: 7, Valid: true}, `7.0`: {V: 7, Valid: true}, `9223372036854775807`: {V: math.MaxInt64, Valid: true},
		`1.796014280874E12`: {V: 1796014280874, Valid: true}, `null`: {}, `"NaN"`: {}, `1e300`: {}, `[]`: {},
	} {
		var n flinkapi.Int
		if err := n.UnmarshalJSON([]byte(text)); err != nil || n != want {
			t.Errorf("%s: %+v %v", text, n, err)
		}
	}
}

func TestParseMetricID(t *testing.T) {
	for id, want := range map[string]struct {
		subtask     int
		op, name    string
		split       string
		levels      int
		unparseable bool
	}{
		"0.currentInputWatermark":                                           {name: "currentInputWatermark"},
		"currentInputWatermark":                                             {subtask: -1, name: "currentInputWatermark"},
		"17.Source__Orders[1].currentOutputWatermark":                       {subtask: 17, op: "Source__Orders[1]", name: "currentOutputWatermark"},
		"3.Source__Orders.split.silent3-1.watermark.currentWatermark":       {subtask: 3, op: "Source__Orders", name: "currentWatermark", split: "silent3-1", levels: 3},
		"0.Source__O.KafkaSourceReader.topic.a_b.partition.2.currentOffset": {op: "Source__O", name: "currentOffset", split: "a_b-2", levels: 5},
		"Source__O.KafkaSourceReader.topic.split.partition.0.currentOffset": {subtask: -1, op: "Source__O", name: "currentOffset", split: "split-0", levels: 5},
		"0.Shuffle.Netty.Input.Buffers.inPoolUsage":                         {name: "inPoolUsage", levels: 4},
		"0.Source__O.KafkaSourceReader.KafkaConsumer.records-lag-max":       {op: "Source__O", name: "records-lag-max", levels: 2},
		"0.Ünï[7]>&%.numRecordsIn":                                          {op: "Ünï[7]>&%", name: "numRecordsIn"},
		"0.":                                                                {unparseable: true},
		"":                                                                  {unparseable: true},
		"a..b":                                                              {subtask: -1, op: "a", name: "b", levels: 1},
		"99999999999999999999.x":                                            {subtask: -1, op: "99999999999999999999", name: "x"},
		"Source__O.coordinator.enumerator.unassignedSplits":                 {subtask: -1, op: "Source__O", name: "unassignedSplits", levels: 2},
		"0.Source__O.split." + strings.Repeat("x", 10000) + ".watermark.currentWatermark": {op: "Source__O", name: "currentWatermark", split: strings.Repeat("x", 10000), levels: 3},
	} {
		m, ok := flinkapi.ParseMetricID(id)
		if ok == want.unparseable {
			t.Errorf("%.60q: parsed %v", id, ok)
			continue
		}
		split, _ := m.Split()
		if !want.unparseable && (m.Subtask != want.subtask || m.Operator != want.op || m.Name != want.name || split != want.split || len(m.Groups) != want.levels) {
			t.Errorf("%.60q: %+v, split %.20q", id, m, split)
		}
	}
}

func TestFilterName(t *testing.T) {
	for in, want := range map[string]string{
		"Source: Orders[1]":      "Source__Orders[1]",
		"a.b,c d":                "a_b_c_d",
		strings.Repeat("é", 100): strings.Repeat("é", 80),
		"KafkaSource-d.d.o":      "KafkaSource-d_d_o",
	} {
		if got := flinkapi.FilterName(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}

func TestDeepestCause(t *testing.T) {
	for _, tc := range []struct{ body, want string }{
		{`{"errors":["Unable to load requested file /bad-request."]}`, "Unable to load requested file /bad-request."},
		{`{"errors":["Internal server error.","<Exception on server side:\norg.x.A: outer\n\tat a.b\nCaused by: org.x.B: inner\n\tat c.d\nEnd of exception on server side>"]}`, "org.x.B: inner"},
		{`{"errors":["org.x.NotFoundException: Job 1 not found\n\tat a"]}`, "org.x.NotFoundException: Job 1 not found"},
		{`{"errors":[]}`, `{"errors":[]}`},
		{``, "no reason given"},
		{"<html><body>nginx</body></html>", "an HTML page, not Flink's JSON: a proxy or a login page answers here"},
		{"\n\n<!DOCTYPE html>\n<html>", "an HTML page, not Flink's JSON: a proxy or a login page answers here"},
		{`"no answer in time"`, "no answer in time"},
		{"a\x1b[31mb\u202ec\u2028d", "a [31mb c d"},
		{strings.Repeat("x", 1000), strings.Repeat("x", 300) + "…"},
	} {
		if got := flinkapi.DeepestCause([]byte(tc.body)); got != tc.want {
			t.Errorf("%.60q: %q", tc.body, got)
		}
	}
}

func TestMaskURL(t *testing.T) {
	for in, want := range map[string]string{
		"http://a:b@h:1/x": "http://***@h:1/x", "http://h/x?token=s": "http://h/x?…", "http://a:b@bad host": "***@bad host", "http://h": "http://h",
		"u:pw@h:1": "***@h:1", "h:8081": "h:8081", "h": "h",
	} {
		if got := flinkapi.MaskURL(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}
