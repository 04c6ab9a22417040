package sqlplan

import (
	"context"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// Gateway is a session of a SQL gateway. Run executes one statement and gives its rows as text, null
// as "". Its error is a *Refusal where Flink refuses the statement; anything else ends the reading.
type Gateway interface {
	URL() string
	Version(ctx context.Context) (string, error) // of Flink, 2.3.0
	Run(ctx context.Context, statement string) ([][]string, error)
}

// Refusal is a statement that Flink does not accept.
type Refusal struct {
	Causes []Cause // from the outermost to the deepest; never empty
}

// Cause is one link of the chain of exceptions.
type Cause struct {
	Class   string `json:"class"`
	Message string `json:"message"`
}

func (r *Refusal) Error() string { return r.deepest().Message }

func (r *Refusal) deepest() Cause { return r.Causes[len(r.Causes)-1] }

// reason is Flink's deepest message on one line, without what may be a secret.
func (r *Refusal) reason() string {
	text := r.deepest().Message
	if !strings.Contains(text, " ") { // "a.b.C" of a ClassNotFoundException says too little
		text = last(r.deepest().Class) + ": " + text
	}
	text, _, _ = strings.Cut(text, " that implements 'org.apache.flink") // a factory, and a list of others
	return oneLine(hidden.ReplaceAllString(text, "$1'***'"))
}

var hidden = regexp.MustCompile(`(?i)('[^']*(?:password|secret|jaas|token|credential|access.?key|keystore\.key)[^']*'\s*=\s*)'(?:[^']|'')*'`)

// refusalKind sorts refusals by what they mean for event time.
type refusalKind int

const (
	refusedOther   refusalKind = iota
	refusedTime                // an operator asks for a time attribute and gets none
	refusedUpdates             // an event-time operator cannot take back rows in this version
	refusedPrecision
	refusedText    // it does not parse
	refusedObject  // a table, view or function is not known
	refusedMissing // the gateway lacks a jar
)

// The messages, each with the versions and the class it was seen in (planner 1.18.1, 1.20.3, 2.3.0).
var refusals = sync.OnceValue(func() []refusalMessage {
	return []refusalMessage{
		{refusedTime, regexp.MustCompile(`requires the timecol is a time attribute type`)},
		{refusedTime, regexp.MustCompile(`requires the timecol to be TIMESTAMP or TIMESTAMP_LTZ`)},
		{refusedTime, regexp.MustCompile(`Window aggregate can only be defined over a time attribute column`)},
		{refusedTime, regexp.MustCompile(`OVER windows' ordering in stream mode must be defined on a time attribute`)}, // to 2.0
		{refusedTime, regexp.MustCompile(`Non-time attribute sort is not supported for bounded OVER window`)},          // 2.x
		{refusedTime, regexp.MustCompile(`Sort on a non-time-attribute field is not supported`)},
		{refusedTime, regexp.MustCompile(`You must specify either rowtime or proctime for order by`)}, // MATCH_RECOGNIZE
		{refusedTime, regexp.MustCompile(`only supports 'FOR SYSTEM_TIME AS OF' left table's time attribute field`)},
		{refusedTime, regexp.MustCompile(`Rowtime attributes must not be in the input rows of a regular join`)},
		{refusedUpdates, updatesBy()},
		{refusedPrecision, regexp.MustCompile(`the supported precision 'p' is from 0 to 3`)},
		{refusedMissing, regexp.MustCompile(`Could not find any factory for identifier|Cannot discover a connector|Cannot instantiate user-defined function|is not in the classpath|resource \[[^\]]*\] not found`)},
		{refusedObject, objectMissing()},
		{refusedText, regexp.MustCompile(`^(?:SQL parse failed|Encountered |Incorrect syntax|Lexical error|only single statement supported|Non-query expression encountered)`)},
	}
})

type refusalMessage struct {
	kind refusalKind
	text *regexp.Regexp
}

var updatesBy = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(\w+) doesn't support consuming ([a-z ]+) changes? which is produced by node ((?s:.*))`)
})

// objectMissing has the name in the only group that matches; backticks and the parts before it come off later.
var objectMissing = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:Object|Table|View) '([^']+)' not found|Source table '([^']+)' of the LIKE clause not found|Tables? (?:or views? )?with (?:the )?identifier '([^']+)'|Cannot find table '([^']+)'` +
		"|Table (`.+`) doesn't exist" + `|(?i:catalog (?:with name )?\[?([^\s\]]+)\]? does not exist)|database with name \[([^\]]+)\] does not exist|No match found for function signature (\w+)`)
})

func (r *Refusal) kind() refusalKind {
	for i := len(r.Causes) - 1; i >= 0; i-- {
		for _, known := range refusals() {
			if known.text.MatchString(r.Causes[i].Message) {
				return known.kind
			}
		}
	}
	if c := r.deepest().Class; strings.Contains(c, "ClassNotFoundException") || strings.Contains(c, "NoClassDefFoundError") {
		return refusedMissing // a class of the user that is in no jar of this gateway
	}
	if strings.Contains(r.deepest().Class, "ParseException") || strings.Contains(r.deepest().Class, "SqlParser") {
		return refusedText
	}
	return refusedOther
}

// missing is the name that Flink could not find, without quotes: of one to three parts.
func (r *Refusal) missing() string {
	for i := len(r.Causes) - 1; i >= 0; i-- {
		if m := objectMissing().FindStringSubmatch(r.Causes[i].Message); m != nil {
			return strings.ReplaceAll(strings.Join(m[1:], ""), "`", "")
		}
	}
	return ""
}

// object is the last part of the name that Flink could not find.
func (r *Refusal) object() string { return last(r.missing()) }

// producer is the text of the operator whose updates an event-time operator cannot take, and that
// operator.
func (r *Refusal) producer() (consumer, producer string) {
	for i := len(r.Causes) - 1; i >= 0; i-- {
		if m := updatesBy().FindStringSubmatch(r.Causes[i].Message); m != nil {
			return strings.TrimPrefix(m[1], "StreamPhysical"), strings.TrimSpace(m[3])
		}
	}
	return "", ""
}

var position = regexp.MustCompile(`(?i)(?:at|from) line (\d{1,9}), column (\d{1,9})`)

// position is where in the statement that was sent Flink saw the fault.
func (r *Refusal) position() (line, column int, ok bool) {
	for i := len(r.Causes) - 1; i >= 0; i-- {
		if m := position.FindStringSubmatch(r.Causes[i].Message); m != nil {
			line, _ = strconv.Atoi(m[1])
			column, _ = strconv.Atoi(m[2])
			return line, column, true
		}
	}
	return 0, 0, false
}

func asRefusal(err error) (*Refusal, bool) {
	var r *Refusal
	ok := errors.As(err, &r)
	return r, ok && len(r.Causes) > 0
}
