package render

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"strconv"

	"tidemark/kafkastats/advise"
)

//go:embed recommendation.html
var recommendationPage string

//go:embed recommendation.css
var recommendationStyle string

var recommendationTemplate = template.Must(template.New("recommendation").Funcs(template.FuncMap{
	"human": advise.Human, "records": recordsText, "future": withFuture, "grouped": advise.Grouped, "share": advise.Percent, "rough": advise.Rough, "optionalMs": optionalMs, "late": lateText, "deployed": deployedText, "printable": printable, "oneLine": oneLine, "prose": prose,
	"groupedMs": func(ms int64) string { return advise.Grouped(uint64(max(0, ms))) + " ms" },
	"n":         func(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) },
}).Parse(recommendationPage))

// page is what the template writes; all geometry is computed before, in SVG units.
type page struct {
	R       advise.Recommendation
	Style   template.CSS
	Tone    string // good, bad or empty
	Declare string
	ByDrops bool
	Figures []figure
	Counts  []cell
}

// recommendationHTML writes one file that needs neither network nor script.
func recommendationHTML(w io.Writer, r advise.Recommendation) error {
	p := page{R: r, Style: template.CSS(recommendationStyle), Counts: countRows(r)} // the style is this package's own text
	p.Declare = "delay to declare"
	switch {
	case r.Records == 0:
		p.Declare = "nothing was measured"
	case r.Advice.Verdict == advise.Fits:
		p.Tone = "good"
	case r.Advice.Verdict.Refuses():
		p.Tone, p.Declare = "bad", "no delay to declare; the sample alone would say"
	case r.Advice.Verdict == advise.InsufficientEvidence:
		p.Declare = "not to be relied on yet; the sample says"
	}
	if r.Advice.DropsOnlyMs != nil {
		p.ByDrops = *r.Advice.DropsOnlyMs == r.Advice.DataStreamMs
	}
	p.Figures = []figure{curveFigure(r), distributionFigure(r), latencyFigure(r), jointFigure(r), partitionsFigure(r), hoursFigure(r), weekFigure(r)}
	return recommendationTemplate.Execute(w, p)
}

var joined = regexp.MustCompile(`(\d) (\d{3}\b|(?:ms|s|min|h|d)\b|%)`)

// prose keeps a number and its unit on one line.
func prose(s string) string {
	s = joined.ReplaceAllString(printable(s), "$1\u00a0$2")
	return joined.ReplaceAllString(s, "$1\u00a0$2") // the thousands that the first pass stepped over
}

// countRows are the counters behind every share; what is zero is left out but for the denominator.
func countRows(r advise.Recommendation) []cell {
	c := r.Counters
	var out []cell
	for _, row := range []struct {
		name string
		n    uint64
		keep bool
	}{
		{"usable: the denominator", c.Records, true}, {"at or above everything before them (in order)", c.NewMax, true}, {"equal to the newest before them (ties: late in SQL with no delay)", c.Ties, true},
		{"read only to learn the newest time before the range", c.PreRoll, false}, {"stamped in the future, kept out", c.Future, true}, {"tombstones", c.Tombstone, true},
		{"without an event time", c.Missing, true}, {"undecodable", c.Undecodable, true}, {"with a sentinel such as -1 or 0", c.Sentinel, true},
		{"without a Kafka timestamp", c.NoArrival, false}, {"with LogAppendTime", c.Append, false}, {"with an event time equal to the Kafka timestamp", c.SameAsKafka, false},
	} {
		if row.n > 0 || row.keep {
			out = append(out, cell{row.name, fmt.Sprint(row.n)})
		}
	}
	return out
}
