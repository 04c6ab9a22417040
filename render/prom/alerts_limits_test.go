package prom

import (
	"bytes"
	"strings"
	"testing"
	"text/template"
	"time"

	"go.yaml.in/yaml/v3"
)

// twoLimits are rules for every job, of which orders has its own limits.
func twoLimits(t *testing.T) (text string, rules []rule) {
	t.Helper()
	all := DefaultAlertOptions()
	all.Jobs = "orders|.*"
	orders, rest := all, all
	orders.Name, orders.Jobs, orders.MaxLag, orders.LateShare = "orders", "orders", 2*time.Minute, 0
	rest.Name, rest.Jobs, rest.Exclude, rest.MaxLag = "*", ".*", "orders", 10*time.Minute
	var b bytes.Buffer
	if err := Alerts(&b, AlertRules, all, orders, rest); err != nil {
		t.Fatal(err)
	}
	var file ruleFile
	if err := yaml.Unmarshal(b.Bytes(), &file); err != nil || len(file.Groups) != 1 {
		t.Fatalf("%v, %d groups", err, len(file.Groups))
	}
	return b.String(), file.Groups[0].Rules
}

// Only alerts on a limit occur once per set, for the jobs of that set only; recordings are of all jobs, so each alert
// selects its own.
func TestLimitsOfSeveralSetsOfJobs(t *testing.T) {
	_, rules := twoLimits(t)
	byName := map[string][]rule{}
	for _, r := range rules {
		byName[r.Alert+r.Record] = append(byName[r.Alert+r.Record], r)
	}
	for name, list := range byName {
		want := 1
		if name == "TidemarkEventTimeLag" || name == "TidemarkLateRecords" {
			want = 2
		}
		if len(list) != want {
			t.Errorf("%s occurs %d times, want %d", name, len(list), want)
		}
	}
	lag, late := byName["TidemarkEventTimeLag"], byName["TidemarkLateRecords"]
	for i, want := range []string{recLag + `{job_name=~"orders"} > 120`, recLag + `{job_name=~".*",job_name!~"orders"} > 600`} {
		if !strings.HasPrefix(lag[i].Expr, want+"\n") {
			t.Errorf("lag alert %d is %s", i, lag[i].Expr)
		}
	}
	if !strings.HasSuffix(late[0].Expr, "> 0") || !strings.HasSuffix(late[1].Expr, "> 0.01") || strings.Contains(late[0].Expr, `job_name=~".*"`) {
		t.Errorf("late alerts are %s and %s", late[0].Expr, late[1].Expr)
	}
	if lag[0].Labels["limit_of"] != "orders" || lag[1].Labels["limit_of"] != "*" {
		t.Errorf("labels are %v and %v", lag[0].Labels, lag[1].Labels)
	}
}

// Prometheus expands labels as templates: a pattern with braces must come out as it is.
func TestLimitOfIsNoTemplate(t *testing.T) {
	for name, want := range map[string]string{"orders": "orders", "{{": "{{", "}}{{ printf": "}}{{ printf", "{{ $labels.x }}": "{{ $labels.x }}", "a{{{b": "a{{{b"} {
		var b bytes.Buffer
		parsed, err := template.New("label").Parse(literal(name))
		if err == nil {
			err = parsed.Execute(&b, nil)
		}
		if err != nil || b.String() != want {
			t.Errorf("%q becomes %q, %v", name, b.String(), err)
		}
	}
}
