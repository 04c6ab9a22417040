package prom

import (
	"bytes"
	"fmt"
	"strings"

	"tidemark/analyze/catalog"
)

// runbooks are the pages of the alerts, by file name: what each means, what to run, possible causes.
func runbooks() (map[string][]byte, error) {
	pages := map[string][]byte{}
	var index bytes.Buffer
	index.WriteString("# Runbooks\n\nA page for each alert of `tidemark alerts`.\n\n| alert | severity | in short |\n|---|---|---|\n")
	for _, a := range alerts {
		page, err := a.runbook()
		if err != nil {
			return nil, err
		}
		pages[a.name+".md"] = page
		fmt.Fprintf(&index, "| [%s](%s.md) | %s | %s |\n", a.name, a.name, a.level(), plainText.Replace(a.summary))
	}
	pages["README.md"] = index.Bytes()
	return pages, nil
}

// plainText is a template of Prometheus with words for its values.
var plainText = strings.NewReplacer(
	` ({{ printf "%.8s" $labels.job_id }})`, "",
	"{{ $labels.job_name }}", "*JOB*", "{{ $labels.task_name }}", "*TASK*", "{{ $labels.operator_name }}", "*OPERATOR*", "{{ $labels.split }}", "*SPLIT*",
	"{{ $labels.subtask_index }}", "*N*", "{{ $value }}", "*N*", "{{ humanizeDuration $value }}", "*N*", "{{ humanizePercentage $value }}", "*N* %", "{{ humanize $value }}", "*N*")

func (a alert) runbook() ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n%s\n\n%s\n\nSeverity: %s. After: %s, by default.\n\n", a.name, plainText.Replace(a.summary), a.means, a.level(), promDuration(a.wait(DefaultAlertOptions())))
	b.WriteString("## Do this\n\n1. Look at the job as it was when the alert began. The alert carries this command, with the id and the time:\n\n   ```\n" +
		"   tidemark triage JOB_ID --prometheus URL --flink URL --at @SECONDS\n   ```\n\n" +
		"2. Look at the job as it is now: `tidemark triage JOB_ID --flink URL`.\n" +
		"3. Record the evidence before anybody restarts the job: `tidemark snapshot JOB_ID --flink URL -o incident.jsonl.gz`.\n" +
		"4. Do what the finding says. The likely findings, and how to distinguish them, are below.\n\n")
	for i, code := range a.codes {
		c, ok := catalog.FindCheck(code)
		if !ok {
			return nil, fmt.Errorf("alert %s names the check %s, which does not exist", a.name, code)
		}
		if i == 0 {
			b.WriteString("## Possible causes\n\n")
		}
		fmt.Fprintf(&b, "### %s: %s (%s)\n\n%s\n\n", c.Title, c.Cause, c.Code, c.Means)
		if c.Why != "" {
			fmt.Fprintf(&b, "%s\n\n", c.Why)
		}
		if c.Fix.Text != "" {
			fmt.Fprintf(&b, "Fix: %s\n\n", c.Fix.Text)
		}
		for _, code := range []struct{ language, text string }{{"java", c.Fix.DataStream}, {"sql", c.Fix.SQL}} {
			if code.text != "" {
				fmt.Fprintf(&b, "```%s\n%s\n```\n\n", code.language, code.text)
			}
		}
	}
	b.WriteString("## When nothing is wrong\n\nIn Prometheus a job that does not use event time looks like one that has lost its watermark: leave it out with `tidemark alerts --exclude-jobs`. " +
		"A limit that is too tight for a job is a key of its policy (`tidemark alerts --policy`).\n")
	return b.Bytes(), nil
}
