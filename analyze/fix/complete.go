package fix

import (
	"regexp"
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
)

// byCode makes the fixes that depend on the job. Where a function returns no Text the fix of the check stays.
var byCode = map[string]func(site) catalog.Fix{
	"TM101": neverEmitted, "TM102": idle, "TM103": idle, "TM104": excess, "TM105": quietInput,
	"TM106": lastWindow, "TM107": assigner, "TM108": endOfInput, "TM109": lostSplit, "TM110": generator, "TM111": sparse,
	"TM202": future, "TM203": zone, "TM204": wallClock, "TM205": epochZero,
	"TM301": smaller, "TM302": hold, "TM303": slower, "TM304": backlog, "TM305": skew, "TM307": stall, "TM308": silentWindow,
	"TM401": late, "TM403": uncounted,
	"TM501": alignmentStall, "TM502": driftBelowIdle, "TM503": throttle, "TM504": longerIdle,
	"TM602": miniBatch, "TM603": noEventTime, "TM604": notSet, "TM701": restartLoop, "TM703": notRunning,
	"TM802": assigner, "TM808": dataCause,
}

// Complete gives each finding the fix that suits the job, in the job's API. A fix that the check has set itself stays.
func Complete(j *model.Job, findings []catalog.Finding) {
	for i := range findings {
		f := &findings[i]
		s := siteOf(j, f, findings)
		usual, _ := catalog.FindCheck(f.Code)
		if make, known := byCode[f.Code]; known && f.Fix == usual.Fix {
			if fix := make(s); fix.Text != "" {
				f.Fix = fix
			}
		}
		f.Fix = s.adapt(f.Fix)
	}
}

// adapt removes the code for APIs that the job does not use, and fills in the names of its source, table and column.
func (s site) adapt(f catalog.Fix) catalog.Fix {
	api := s.api()
	if api&dataStream == 0 && !(api == beam && f.Beam) {
		f.DataStream = ""
	}
	if api&sql == 0 {
		f.SQL = ""
	}
	f.DataStream = strings.ReplaceAll(f.DataStream, "<Order>", "<T>")
	if s.source != nil {
		f.DataStream = strings.ReplaceAll(f.DataStream, `"Orders"`, `"`+s.label()+`"`)
	}
	if t := table(s.source); t != "" {
		f.SQL = strings.ReplaceAll(f.SQL, "FROM orders", "FROM "+t)
	} else {
		f.SQL = strings.TrimSpace(fromOrders.ReplaceAllString(f.SQL, ""))
	}
	if col := s.column(); col != "" {
		f.SQL = timeColumn.ReplaceAllString(f.SQL, col+"$1")
	}
	return f
}

// Names in the code of a check's fix that are replaced by those of the job.
var (
	timeColumn = regexp.MustCompile(`(?m)\bts( AS TO_TIMESTAMP| IS NULL)`)
	fromOrders = regexp.MustCompile(`(?m)^SELECT .* FROM orders.*$`)
)

// beamMark begins code for Beam's API, which takes the place of DataStream code.
const beamMark = "// Beam\n"

// textOnly is a fix without code.
func textOnly(text string) catalog.Fix { return catalog.Fix{Text: text} }
