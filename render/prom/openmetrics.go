package prom

import (
	"bytes"
	"fmt"
	"io"
	"sort"
	"strconv"
	"strings"
	"time"

	"tidemark/analyze"
	"tidemark/render/safe"
)

// The content types of what Metrics writes, with OpenMetrics set and without.
const (
	OpenMetricsType    = "application/openmetrics-text; version=1.0.0; charset=utf-8"
	PrometheusTextType = "text/plain; version=0.0.4; charset=utf-8"
)

// Exposition is the state of an exporter. Times are wall clock of this process, except those in the report.
type Exposition struct {
	Report      *analyze.Report // nil = no values, none yet or too old
	Up          bool            // the last capture succeeded
	LastCapture time.Time       // end of the last capture that succeeded; zero = none
	CaptureTime time.Duration   // how long that one took
	Captures    int             // all captures so far
	Failures    int             // captures that failed
	Version     string          // of the program
	OpenMetrics bool            // false writes Prometheus text 0.0.4, which node exporter's textfile collector reads
}

// family is a metric family. Lines are written in the order of their labels, equal labels once: a cause at several splits
// of a vertex is one series.
type family struct {
	name, kind, help string
	samples          []sample
}

type sample struct {
	labels []string // name, value, name, value, …
	value  float64
}

// Metrics writes an exposition. A lag is absent where there is no watermark; labels are cleaned and escaped.
func Metrics(w io.Writer, e Exposition) error {
	var b bytes.Buffer
	for _, f := range e.families() {
		f.write(&b, e.OpenMetrics)
	}
	if e.OpenMetrics {
		b.WriteString("# EOF\n")
	}
	_, err := w.Write(b.Bytes())
	return err
}

func (e Exposition) families() []family {
	up := 0.0
	if e.Up {
		up = 1
	}
	all := []family{
		upOf(up, e.Report),
		gauge("tidemark_build", "Always 1; the version of tidemark.", sample{labels: []string{"version", e.Version}, value: 1}),
		counter("tidemark_captures", "Captures of the cluster, failed ones included.", e.Captures),
		counter("tidemark_capture_failures", "Captures of the cluster that failed.", e.Failures),
	}
	if !e.LastCapture.IsZero() {
		all = append(all,
			gauge("tidemark_last_capture_timestamp_seconds", "When the last capture that succeeded ended, Unix time.", sample{value: unixSeconds(e.LastCapture)}),
			gauge("tidemark_last_capture_duration_seconds", "How long it took; most of it waits for the next metric fetch.", sample{value: e.CaptureTime.Seconds()}))
	}
	if e.Report != nil {
		all = append(all, reportFamilies(e.Report)...)
	}
	return all
}

// upOf is whether the last capture succeeded; of a job that is listed and could not be read, 0 with its labels.
func upOf(up float64, r *analyze.Report) family {
	f := gauge("tidemark_up", "1 when the last capture of the cluster succeeded, else 0. With a job label: 0, the job is listed and could not be read.", sample{value: up})
	if r != nil {
		for _, j := range r.Jobs {
			if j.Unread {
				f.add(0, []string{"job", j.Name, "job_id", j.ID})
			}
		}
	}
	return f
}

func gauge(name, help string, samples ...sample) family { return family{name, "gauge", help, samples} }

func counter(name, help string, n int) family {
	return family{name, "counter", help, []sample{{value: float64(n)}}}
}

// write writes the family, nothing where it has no samples. OpenMetrics names a counter's family without _total.
func (f family) write(b *bytes.Buffer, open bool) {
	if len(f.samples) == 0 {
		return
	}
	name, line := f.name, f.name
	if f.kind == "counter" {
		line += "_total"
		if !open {
			name = line
		}
	}
	fmt.Fprintf(b, "# HELP %s %s\n# TYPE %s %s\n", name, escapeHelp(f.help), name, f.kind)
	var lines []string
	seen := map[string]bool{}
	for _, s := range f.samples {
		if labels := labelText(s.labels); !seen[labels] {
			seen[labels] = true
			lines = append(lines, line+labels+" "+strconv.FormatFloat(s.value, 'g', -1, 64)+"\n")
		}
	}
	sort.Strings(lines)
	for _, l := range lines {
		b.WriteString(l)
	}
}

func labelText(pairs []string) string {
	if len(pairs) == 0 {
		return ""
	}
	var parts []string
	for i := 0; i+1 < len(pairs); i += 2 {
		parts = append(parts, pairs[i]+`="`+escapeLabel(pairs[i+1])+`"`)
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// maxLabel is how many cells of a foreign name become a label: a name of 10,000 characters is an attack or a SQL plan.
const maxLabel = 200

var labelEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

func escapeLabel(s string) string { return labelEscapes.Replace(safe.Short(s, maxLabel)) }

func escapeHelp(s string) string {
	return strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(s)
}

func unixSeconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }
