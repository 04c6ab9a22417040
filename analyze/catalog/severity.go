package catalog

// Severity ranks a finding: critical = event time stands still or results are lost now,
// warning = wrong or fragile, info = explains.
type Severity string

// The severities, the worst first.
const (
	Critical Severity = "critical"
	Warning  Severity = "warning"
	Info     Severity = "info"
)

// Rank orders severities: info 1, warning 2, critical 3, anything else 0.
func (s Severity) Rank() int {
	switch s {
	case Critical:
		return 3
	case Warning:
		return 2
	case Info:
		return 1
	}
	return 0
}

// Confidence says how far the evidence carries a finding.
type Confidence string

// The three confidences.
const (
	Certain  Confidence = "certain"
	Likely   Confidence = "likely"
	Possible Confidence = "possible"
)
