package policy

import (
	"strings"
	"testing"
)

func ruleFile(exprs ...string) RuleFile {
	var b strings.Builder
	b.WriteString("groups:\n- name: g\n  rules:\n")
	for _, e := range exprs {
		kind, expr, _ := strings.Cut(e, " ")
		name, value, ok := strings.Cut(kind, ":=")
		if !ok {
			name, value = "alert", kind
		}
		b.WriteString("  - " + name + ": " + value + "\n    expr: |-\n      " + expr + "\n")
	}
	return ParseRuleFile([]byte(b.String()))
}

func TestLagAlert(t *testing.T) {
	const in = "flink_taskmanager_job_task_currentInputWatermark"
	for _, c := range []struct {
		job   string
		rules []string
		want  string
	}{
		{"orders", []string{"A time() - " + in + " / 1000 > 300"}, "A"},
		{"orders", []string{"A time() - " + in + `{job_name="orders"} / 1000 > 300`}, "A"},
		{"orders", []string{"A time() - " + in + `{job_name='orders', tm_id=~"x"} / 1000 > 300`}, "A"},
		{"orders", []string{"A time() - " + in + `{job_name="payments"} / 1000 > 300`}, ""},
		{"orders", []string{"A time() - " + in + `{job_name!~"orders|payments"} / 1000 > 300`}, ""},
		{"orders", []string{"A time() - " + in + `{job_name=~"order"} / 1000 > 300`}, ""},
		{"my-job 2", []string{"A time() - " + in + `{job_name="my_job_2"} / 1000 > 300`}, "A"},
		{"orders", []string{"A " + in + " < 0"}, ""},
		{"orders", []string{"A time() - process_start_time_seconds > 5"}, ""},
		{"orders", []string{"record:=lag time() - " + in + " / 1000", "A lag > 300"}, "A"},
		{"orders", []string{"record:=lag time() - " + in + " / 1000", `A lag{job_name="payments"} > 300`}, ""},
		{"orders", []string{"record:=et max by (job_name) (" + in + ")", "record:=lag time() - et / 1000", "A lag > 300"}, "A"},
		{"orders", []string{"record:=et max by (job_name) (" + in + ")", "A et < 0"}, ""},
		{"orders", []string{"record:=a b > 0", "record:=b a > 0", "A a > time()"}, ""}, // a circle
		{"orders", []string{"record:=a " + strings.Repeat("a + ", 200) + "b > 0", "record:=b " + strings.Repeat("a + ", 200) + "b", "A a > time()"}, ""},
		{"orders", []string{"record:=a " + in + " or a", "A time() - a > 300"}, "A"}, // the last value of itself
		{"orders", []string{`A tidemark_event_time_lag_seconds{job="orders"} > 300`}, "A"},
		{"orders", []string{`A tidemark_event_time_lag_seconds{job="payments"} > 300`}, ""},
		{"orders", []string{"A flink_taskmanager_job_task_operator_watermarkLag > 300000"}, "A"},
		{"orders", []string{`A time() - {__name__="` + in + `"} / 1000 > 300`}, "A"},
		{"orders", []string{`A label_replace(up, "a", "` + in + `", "b", "") > time()`}, ""},
		{"orders", []string{`A time() - ` + in + `{job_name=~"("} > 3`}, ""},
	} {
		f := ruleFile(c.rules...)
		if f.Err != "" {
			t.Fatal(f.Err)
		}
		if got := f.LagAlert(c.job); got != c.want {
			t.Errorf("%q: %q watches %s, want %q", c.rules, got, c.job, c.want)
		}
	}
}

func TestRuleFilesThatAreNone(t *testing.T) {
	for text, want := range map[string]string{
		"": "no groups", "groups: []": "no groups", "a: [": "did not find", "groups: 5": "cannot unmarshal", "- a": "cannot unmarshal",
		"groups:\n- rules:\n  - alert: A\n": "",
	} {
		if f := ParseRuleFile([]byte(text)); want == "" && f.Err != "" || want != "" && !strings.Contains(f.Err, want) {
			t.Errorf("%q: %q, want %q", text, f.Err, want)
		}
	}
}

func FuzzLagAlert(f *testing.F) {
	f.Add("time() - a{job_name=~\"x\"} > 3", "x")
	f.Add("{__name__='a'}", "")
	f.Add("a{b=\"\\\"}", "b")
	f.Fuzz(func(t *testing.T, expr, job string) {
		file := RuleFile{rules: []promRule{{Alert: "A", Expr: expr}, {Record: "a", Expr: expr}}}
		if got := file.LagAlert(job); got != "" && got != "A" {
			t.Errorf("%q", got)
		}
	})
}
