package recommend

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tidemark/analyze/catalog"
	"tidemark/internal/expect"
	"tidemark/kafkastats/advise"
	"tidemark/request"
)

// What is late is one producer's: the report names it, by a field, by the key or by a header alike.
func TestLateRecordsByAField(t *testing.T) {
	path := written(t, func(m moments) string {
		producer := fmt.Sprintf("p%d", m.n%40)
		if m.n%10 == 0 {
			producer = "slow"
		}
		return fmt.Sprintf(`{"ts":%d,"from":{"name":"%s"},"n":%d}`, m.event, producer, m.n)
	})
	r := recommended(t, path, func(r *Request) { r.EventTime.Field, r.By, r.Demand.Late = "ts", "from.name", "20%" })
	if r.By == nil || r.By.Values != 37 || len(r.By.Groups) != 21 {
		t.Fatalf("%+v", r.By)
	}
	top, last := r.By.Groups[0], r.By.Groups[20]
	if top.Value != "slow" || top.Records != 300 || top.LateN < 290 || top.OfLate < 0.99 || top.NeedMs < 1700 || last.Value != "others" || last.Others != 17 {
		t.Fatalf("%+v %+v", top, last)
	}
	var late, all uint64
	for _, g := range r.By.Groups {
		late, all = late+g.LateN, all+g.Records
	}
	if late != r.Advice.Late.Records || all != r.Records {
		t.Errorf("%d late of %d in groups, %d of %d in all", late, all, r.Advice.Late.Records, r.Records)
	}
	if !slices.ContainsFunc(r.Review.WouldChange, func(s string) bool { return strings.Contains(s, `from.name "slow" alone`) }) {
		t.Errorf("%q", r.Review.WouldChange)
	}
	bad := Defaults()
	bad.Records.Path, bad.By, bad.EventTime.Format = path, "from.name", "raw"
	if _, err := Run(t.Context(), request.Background(), bad); err == nil || !strings.Contains(err.Error(), "key or header:NAME") {
		t.Errorf("%v", err)
	}
}

// A column of a CSV file groups as a field does, by its name or, without a header line, by its number.
func TestLateRecordsByAColumn(t *testing.T) {
	for name, first := range map[string]string{"site": "partition,arrival,event,site\n", "4": ""} {
		path := filepath.Join(t.TempDir(), "rows.csv")
		var b strings.Builder
		b.WriteString(first)
		for n := range 3000 {
			at, site := began+int64(100*n), "near"
			event := at - 100
			if n%10 == 0 {
				event, site = at-2000, "far"
			}
			fmt.Fprintf(&b, "0,%d,%d,%s\n", at, event, site)
		}
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		r := recommended(t, path, func(r *Request) { r.By, r.Demand.Late = name, "20%" })
		if r.By == nil || len(r.By.Groups) != 2 || r.By.Groups[0].Value != "far" || r.By.Groups[0].LateN != 299 || r.By.Groups[1].LateN != 0 {
			t.Errorf("%s: %+v", name, r.By)
		}
		bad := Defaults()
		bad.Records.Path, bad.By = path, "producer"
		_, err := Run(t.Context(), request.Background(), bad)
		expect.Error(t, err, `is "producer": no such column; there are `+name)
	}
}

// Copies have the same time and the same bytes; different records with the same time are no copies.
func TestDuplicatesAreFound(t *testing.T) {
	share := func(every int64) bool {
		path := written(t, func(m moments) string {
			n := m.n
			if every > 0 && n%every == 1 {
				n-- // the record before, sent again
			}
			return fmt.Sprintf(`{"ts":%d,"n":%d}`, began+100*n, n)
		})
		r := recommended(t, path, func(r *Request) { r.EventTime.Field = "ts" })
		return slices.ContainsFunc(r.Findings, func(f catalog.Finding) bool { return f.Cause == advise.CauseDuplicates })
	}
	if !share(5) {
		t.Error("a fifth of the records are copies, and none was found")
	}
	if share(0) {
		t.Error("a copy was found where there is none")
	}
}

func TestADelayAPersonWouldDeclareStandsBeside(t *testing.T) {
	a := recommended(t, written(t, func(m moments) string { return fmt.Sprintf(`{"ts":%d}`, m.event) }), nil).Advice
	if a.PersonMs != 2000 || a.PersonLate > a.Late.Fraction || a.RoundedMs >= 2000 {
		t.Fatalf("%d ms beside %d ms", a.PersonMs, a.RoundedMs)
	}
}
