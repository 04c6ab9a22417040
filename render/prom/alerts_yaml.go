package prom

import (
	"bytes"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"tidemark/analyze/catalog"
)

type ruleFile struct {
	Groups []ruleGroup `yaml:"groups"`
}

type ruleGroup struct {
	Name  string `yaml:"name"`
	Rules []rule `yaml:"rules"`
}

type rule struct {
	Record      string            `yaml:"record,omitempty"`
	Alert       string            `yaml:"alert,omitempty"`
	Expr        string            `yaml:"expr"`
	For         string            `yaml:"for,omitempty"`
	Labels      map[string]string `yaml:"labels,omitempty"`
	Annotations map[string]string `yaml:"annotations,omitempty"`
}

const rulesHead = `# Event time of Flink jobs, made by tidemark alerts. Rules for the names of Flink's Prometheus reporters.
# Long.MIN_VALUE (no watermark yet) and Long.MAX_VALUE (end of input) are states here and enter no lag.
`

// rulesYAML is one group: rules of a group are evaluated in order, so alerts see the recordings of the same moment.
func rulesYAML(o AlertOptions, sets []AlertOptions) ([]byte, error) {
	group := ruleGroup{Name: "tidemark-event-time"}
	for _, r := range recordings {
		group.Rules = append(group.Rules, rule{Record: r.name, Expr: o.promql(r.expr)})
	}
	if err := each(o, sets, func(_ alert, r rule) { group.Rules = append(group.Rules, r) }); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString(rulesHead)
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(ruleFile{Groups: []ruleGroup{group}}); err != nil {
		return nil, err
	}
	return b.Bytes(), enc.Close()
}

// limited reports an alert on a limit that a set of jobs can have for itself.
func (a alert) limited() bool {
	return strings.Contains(a.expr, "$maxlag") || strings.Contains(a.expr, "$lateshare")
}

// ofSet is the alert for the jobs of one set: a recording holds those of all sets.
func (a alert) ofSet() alert {
	a.expr = strings.ReplaceAll(a.expr, recLag, recLag+"{$jobs}")
	return a
}

// rule is an alert as Prometheus reads it.
func (a alert) rule(o AlertOptions) (rule, error) {
	var explain []string
	for _, code := range a.codes {
		if _, ok := catalog.FindCheck(code); !ok {
			return rule{}, fmt.Errorf("alert %s names the check %s, which does not exist", a.name, code)
		}
		explain = append(explain, "tidemark explain "+code)
	}
	check, _ := catalog.FindCheck(a.codes[0])
	notes := map[string]string{
		"summary":     a.summary,
		"description": a.means,
		"runbook":     strings.Join(explain, "; "),
		"next":        a.next(),
		"at_start":    a.atStart(o.Prometheus),
	}
	if o.Runbooks != "" {
		notes["runbook_url"] = o.runbook(a.name)
	}
	return rule{
		Alert:       a.name,
		Expr:        o.promql(a.expr),
		For:         promDuration(a.wait(o)),
		Labels:      map[string]string{"severity": string(a.level()), "code": check.Code},
		Annotations: notes,
	}, nil
}

// next is the command that finds the cause. A job is named by its id, which is safe in a shell.
func (a alert) next() string {
	if strings.Contains(a.summary, "$labels.job_name") {
		return "tidemark triage {{ $labels.job_id }}"
	}
	return "tidemark triage"
}

// atStart is the command that judges the job as it was when the alert began to be true, which Prometheus keeps in
// ALERTS_FOR_STATE, in seconds since 1970; now where that is not written yet. Without an address the
// environment of the reader has it.
func (a alert) atStart(url string) string {
	if url == "" {
		url = "$TIDEMARK_PROMETHEUS"
	}
	state := `printf "min(ALERTS_FOR_STATE{alertname='` + a.name + `',job_id='%s'})" $labels.job_id | query`
	if !strings.Contains(a.summary, "$labels.job_name") {
		state = `query "min(ALERTS_FOR_STATE{alertname='` + a.name + `'})"`
	}
	return a.next() + " --prometheus " + literal(url) + " --at {{ with " + state + ` }}@{{ . | first | value | printf "%.0f" }}{{ else }}now{{ end }}`
}

// literal keeps a name from being read as a template: Prometheus expands labels.
func literal(name string) string {
	return strings.ReplaceAll(name, "{{", `{{"{{"}}`)
}
