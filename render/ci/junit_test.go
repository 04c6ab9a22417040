package ci

import (
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"tidemark/analyze/catalog"
	"tidemark/analyze/policy"
	"tidemark/render/safe"
)

// xsdElement is what junit-10.xsd says of an element: its attributes, and what it may hold.
type xsdElement struct {
	attributes map[string]bool // true = required
	children   []string
	text       bool
}

// xsdElements reads the part of XML Schema that junit-10.xsd uses: elements at the top, references
// in sequences and choices, attributes.
func xsdElements(t *testing.T) map[string]*xsdElement {
	t.Helper()
	f, err := os.Open("../testdata/schema/junit-10.xsd")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out := map[string]*xsdElement{}
	var e *xsdElement
	dec := xml.NewDecoder(f)
	for depth := 0; ; {
		token, err := dec.Token()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		switch x := token.(type) {
		case xml.StartElement:
			depth++
			a := map[string]string{}
			for _, attr := range x.Attr {
				a[attr.Name.Local] = attr.Value
			}
			switch {
			case depth == 2:
				e = &xsdElement{attributes: map[string]bool{}, text: a["type"] == "xs:string"}
				if x.Name.Local == "element" {
					out[a["name"]] = e
				}
			case x.Name.Local == "element":
				e.children = append(e.children, a["ref"])
			case x.Name.Local == "attribute":
				e.attributes[a["name"]] = a["use"] == "required"
			case x.Name.Local == "complexType" && a["mixed"] == "true":
				e.text = true
			}
		case xml.EndElement:
			depth--
		}
	}
}

// againstXSD walks a document and names what the schema does not allow.
func againstXSD(schema map[string]*xsdElement, doc []byte) (faults []string) {
	dec := xml.NewDecoder(strings.NewReader(string(doc)))
	var open []string
	for {
		token, err := dec.Token()
		if err == io.EOF {
			return faults
		}
		if err != nil {
			return append(faults, err.Error())
		}
		switch x := token.(type) {
		case xml.StartElement:
			name := x.Name.Local
			e := schema[name]
			if e == nil {
				return append(faults, "no element "+name)
			}
			if len(open) > 0 && !slices.Contains(schema[open[len(open)-1]].children, name) {
				faults = append(faults, name+" in "+open[len(open)-1])
			}
			given := map[string]bool{}
			for _, a := range x.Attr {
				given[a.Name.Local] = true
				if _, known := e.attributes[a.Name.Local]; !known {
					faults = append(faults, name+" has no attribute "+a.Name.Local)
				}
			}
			for a, required := range e.attributes {
				if required && !given[a] {
					faults = append(faults, name+" lacks "+a)
				}
			}
			open = append(open, name)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if n := len(open); n > 0 && !schema[open[n-1]].text && strings.TrimSpace(string(x)) != "" {
				faults = append(faults, "text in "+open[n-1])
			}
		}
	}
}

func TestJUnitKeepsTheStructureOfItsSchema(t *testing.T) {
	schema := xsdElements(t)
	for name, run := range checkRuns() {
		for _, fault := range againstXSD(schema, checked(t, JUnit, run, Options{})) {
			t.Errorf("%s: %s", name, fault)
		}
	}
	for _, bad := range []string{`<testsuites><testcase name="x"/></testsuites>`, `<testsuites><testsuite name="x" tests="0" failures="0"/></testsuites>`,
		`<testsuites color="red"/>`, `<testsuites>text</testsuites>`, `<unknown/>`, `<testsuites>`} {
		if len(againstXSD(schema, []byte(bad))) == 0 {
			t.Errorf("accepted: %s", bad)
		}
	}
}

func junitIn(t *testing.T, run *policy.Run) junitSuites {
	t.Helper()
	var all junitSuites
	if err := xml.Unmarshal(checked(t, JUnit, run, Options{}), &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestJUnitCountsAreRight(t *testing.T) {
	for name, run := range checkRuns() {
		all := junitIn(t, run)
		tests, failures, errors := 0, 0, 0
		for _, s := range all.Suites {
			own := [4]int{len(s.Cases)}
			for _, c := range s.Cases {
				switch {
				case c.Failure != nil:
					own[1]++
				case c.Error != nil:
					own[2]++
				case c.Skipped != nil:
					own[3]++
				}
			}
			if got := [4]int{s.Tests, s.Failures, s.Errors, s.Skipped}; got != own {
				t.Errorf("%s, suite %.40q: counts %v, holds %v", name, s.Name, got, own)
			}
			tests, failures, errors = tests+s.Tests, failures+s.Failures, errors+s.Errors
		}
		if all.Tests != tests || all.Failures != failures || all.Errors != errors || tests > len(run.Results)+1 {
			t.Errorf("%s: %d tests, %d failures, %d errors; want %d, %d, %d", name, all.Tests, all.Failures, all.Errors, tests, failures, errors)
		}
		red := all.Failures+all.Errors > 0
		if failed := run.Outcome == policy.OutcomeFailed || isIncomplete(run); run.Outcome != "" && red != failed {
			t.Errorf("%s: red is %v where the outcome is %s", name, red, run.Outcome)
		}
	}
}

// TestJUnitNamesAreStable: CI identifies a test by suite, class and name, so these are unique and do not depend on the
// measurement.
func TestJUnitNamesAreStable(t *testing.T) {
	names := func(run *policy.Run) (out []string) {
		for _, s := range junitIn(t, run).Suites {
			for _, c := range s.Cases {
				out = append(out, s.Name+"|"+c.Class+"|"+c.Name)
			}
		}
		return out
	}
	for name, run := range checkRuns() {
		all := names(run)
		slices.Sort(all)
		if len(slices.Compact(slices.Clone(all))) != len(all) {
			t.Errorf("%s: names are not unique", name)
		}
	}
	later := sampleRun()
	later.At, later.Incomplete, later.Outcome = "2027-01-01T00:00:00Z", nil, policy.OutcomePassed
	for i := range later.Results {
		r := &later.Results[i]
		r.Status, r.Message, r.Evidence, r.Location.Line, r.Severity = policy.Passed, "all is well", nil, 99, catalog.Info
		r.Subject = policy.Subject{Kind: r.Subject.Kind, Name: r.Subject.Name} // of the whole subject, as what passed is
	}
	if a, b := names(sampleRun()), names(later); !slices.Equal(a, b) {
		t.Errorf("names changed:\n%s\n%s", strings.Join(a, "\n"), strings.Join(b, "\n"))
	}
}

// TestACaseHoldsAllPlaces: several results of one check at a subject are one case, the worst of them.
func TestACaseHoldsAllPlaces(t *testing.T) {
	run := emptyRun()
	run.FailOn = "critical"
	add := func(name string, status policy.Status, s catalog.Severity, message string) {
		run.Results = append(run.Results, policy.Result{Code: "TM102", Cause: "idle-split", Status: status, Severity: s, Message: message, Reason: message,
			Subject: policy.Subject{Kind: "job", Name: name, Split: message}, Location: policy.Location{File: "p.yaml", Line: 3}})
	}
	add("a", policy.Passed, catalog.Critical, "one")
	add("a", policy.Failed, catalog.Critical, "two")
	add("a", policy.Failed, catalog.Warning, "three")
	add("a", policy.Failed, catalog.Critical, "four")
	add("b", policy.Skipped, catalog.Critical, "five")
	add("b", policy.Suppressed, catalog.Critical, "six")
	suites := junitIn(t, run).Suites
	if len(suites) != 3 || len(suites[1].Cases) != 1 || len(suites[2].Cases) != 1 {
		t.Fatalf("%+v", suites)
	}
	a, b := suites[1].Cases[0], suites[2].Cases[0]
	if a.Name != "TM102 idle-split" || a.Failure == nil || a.Failure.Message != "2 places, the first: two." || a.Skipped != nil {
		t.Errorf("%+v %+v", a, a.Failure)
	}
	if want := "two.\nat p.yaml:3\nin split two\n\nfour.\nat p.yaml:3\nin split four"; a.Failure.Body != want || a.Out != "three.\nat p.yaml:3\nin split three" {
		t.Errorf("body %q, out %q", a.Failure.Body, a.Out)
	}
	if b.Failure != nil || b.Skipped.Message != "2 places, the first: five" || b.Out != "six.\nat p.yaml:3\nin split six" {
		t.Errorf("%+v %+v", b, b.Skipped)
	}
}

func TestLongNamesStayApart(t *testing.T) {
	run := emptyRun()
	for i := range 3 {
		name := strings.Repeat("x", 300) + fmt.Sprint(i) + strings.Repeat("y", 300)
		run.Results = append(run.Results, policy.Result{Code: "TM102", Cause: "idle-split", Status: policy.Passed, Subject: policy.Subject{Kind: "job", Name: name}})
	}
	suites := map[string]bool{}
	for _, s := range junitIn(t, run).Suites {
		suites[s.Name] = true
		if safe.Width(s.Name) > 160 {
			t.Errorf("%q is long", s.Name)
		}
	}
	if len(suites) != 4 {
		t.Errorf("suites %v", suites)
	}
}

func TestJUnitSaysWhyACaseIsSkipped(t *testing.T) {
	got := map[string]string{}
	for _, s := range junitIn(t, sampleRun()).Suites {
		for _, c := range s.Cases {
			if c.Skipped != nil {
				got[s.Name+" "+c.Name] = c.Skipped.Message
			}
		}
	}
	for name, want := range map[string]string{
		"job payments TM102 idle-split":                        "suppressed until 2027-01-31: the partition is retired",
		"job orders-by-region TM306 old-data":                  "info, below --fail-on warning: Records arrive 12 min old",
		"job orders-by-region TM401 late-records (late.share)": "(demanded: without it the run is incomplete)",
		"replay expect-1 TM202 future-record":                  "records of a replay have no wall clock",
	} {
		if !strings.Contains(got[name], want) {
			t.Errorf("%s: %q, want %q", name, got[name], want)
		}
	}
	if len(got) != 4 {
		t.Errorf("skipped: %v", got)
	}
}
