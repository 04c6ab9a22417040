package policy

// Item is a question to ask before an event-time job goes live, or a symptom to be safe from, with
// the policy keys that ask it and the checks that answer. The README's tables and the tests are made
// of these.
type Item struct {
	Slug   string // folder of its test policies
	Text   string
	Keys   []string
	Checks []string // codes; the first is what a refused policy shows
}

// Checklist is the go-live checklist.
var Checklist = []Item{
	{"strategy-on-source", "The watermark strategy is on the source", []string{"strategy"}, []string{"TM877", "TM101", "TM107"}},
	{"bound-measured", "The bound is measured", []string{"delay.covers", "delay.measured", "delay.at-most"}, []string{"TM850", "TM851", "TM871", "TM872"}},
	{"idleness-decided", "Idleness is decided", []string{"idleness"}, []string{"TM854", "TM855"}},
	{"unit-and-zone", "Unit and zone of the timestamps are proven", []string{"event-time.unit", "event-time.zone", "event-time.field"}, []string{"TM864", "TM865", "TM863"}},
	{"replay", "A replay of records ends as expected, and one from an old offset in time", []string{"replay", "drill"}, []string{"TM870", "TM881", "TM882", "TM885", "TM886", "TM887"}},
	{"whatif", "A change does what is expected of it", []string{"whatif"}, []string{"TM878"}},
	{"late-watched", "A late side output or counter is watched", []string{"lateness.watched"}, []string{"TM868"}},
	{"lag-alert", "An alert watches event-time lag", []string{"alerts"}, []string{"TM869"}},
	{"written-down", "Bound, idle timeout and lateness are written down", []string{"require"}, []string{"TM867", "TM866"}},
}

// Symptoms is the symptom map: what people see, by row.
var Symptoms = []Item{
	{"symptom-1", "1: some windows are stuck because of a silent partition or subtask", []string{"idleness", "parallelism"}, []string{"TM854", "TM859", "TM102", "TM103", "TM104"}},
	{"symptom-2", "2: nothing ever fires", []string{"strategy", "max-lag"}, []string{"TM877", "TM101", "TM107", "TM856"}},
	{"symptom-3", "3: results are late by a constant", []string{"delay.at-most", "delay.sla", "max-lag"}, []string{"TM851", "TM853", "TM856", "TM301"}},
	{"symptom-4", "4: records are lost as late, or the unit is wrong", []string{"late", "event-time.unit", "delay.covers"}, []string{"TM857", "TM858", "TM864", "TM850", "TM401", "TM201"}},
	{"symptom-5", "5: partitions or sources run apart, or alignment stops reading", []string{"alignment"}, []string{"TM502", "TM860", "TM861", "TM501", "TM305"}},
	{"symptom-6", "6: one side of a join or union is quiet", []string{"idleness", "forbid"}, []string{"TM105", "TM854"}},
}
