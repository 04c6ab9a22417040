package advise

import (
	"cmp"
	"fmt"
	"slices"

	"tidemark/internal/units"
	"tidemark/kafkastats/measure"
)

// By are late records by the value of a field, at the recommended delay.
type By struct {
	Field  string  `json:"field"`
	Values uint64  `json:"values"` // distinct values; those with the most late records are listed
	Groups []Group `json:"groups"`
}

// Group are the records with one value. Value may be foreign text; the last one may be "others".
type Group struct {
	Value   string  `json:"value"`
	Records uint64  `json:"records"`
	NeedMs  int64   `json:"datastream_ms"`
	LateN   uint64  `json:"late_records"`
	Late    float64 `json:"late"`                    // share of the group's own records
	OfLate  float64 `json:"of_all_late"`             // share of all late records
	Others  uint64  `json:"values_summed,omitempty"` // number of values in this group, if more than one
}

// listedGroups is the number of values that are listed individually.
const listedGroups = 20

func (s *summary) by(a Advice) *By {
	g := s.o.Groups
	if g == nil {
		return nil
	}
	out := &By{Field: s.o.By, Values: uint64(len(g.Groups)), Groups: []Group{}}
	var late uint64
	row := func(value string, m *measure.Group) Group {
		r := Group{Value: value, Records: m.Records, LateN: m.Above(a.RoundedMs)}
		r.NeedMs, _ = need(&m.Own, false, s.o.Target.Allowed(m.Records))
		late += r.LateN
		return r
	}
	for value, m := range g.Groups {
		out.Groups = append(out.Groups, row(value, m))
	}
	slices.SortFunc(out.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.LateN, a.LateN), cmp.Compare(b.Records, a.Records), cmp.Compare(a.Value, b.Value))
	})
	others := measure.Group{}
	others.Merge(&g.Others)
	summed := uint64(0)
	for _, r := range out.Groups[min(listedGroups, len(out.Groups)):] {
		summed++
		others.Merge(g.Groups[r.Value])
		late -= r.LateN
	}
	out.Groups = out.Groups[:min(listedGroups, len(out.Groups))]
	if others.Records > 0 {
		r := row("others", &others)
		r.Others = max(2, summed)
		out.Groups = append(out.Groups, r)
	}
	for i := range out.Groups {
		r := &out.Groups[i]
		r.Late = float64(r.LateN) / float64(max(1, r.Records))
		r.OfLate = float64(r.LateN) / float64(max(1, late))
	}
	return out
}

// guardDuplicates reports records that occur twice.
func (s *summary) guardDuplicates() Findings {
	d := s.o.Duplicates
	if d.Found < 3 || d.Found*1000 < d.Looked {
		return nil
	}
	severity := info
	if d.Found*100 >= d.Looked {
		severity = warning
	}
	return Findings{finding(CauseDuplicates, severity,
		fmt.Sprintf("%s of records repeat an earlier one of their partition byte for byte, key and value (%s of %s looked at)", units.Share(float64(d.Found)/float64(d.Looked)), units.Count(d.Found), units.Count(d.Looked)),
		"enable.idempotence=true in the producers, or deduplicate before the window: a copy is counted twice whether it is late or not")}
}

// declared are the delays that people write, ms.
var declared = func() (out []int64) {
	for _, u := range []struct {
		unit  int64
		steps []int64
	}{{1, []int64{0, 10, 20, 50, 100, 200, 500}}, {1000, []int64{1, 2, 5, 10, 15, 30}}, {60_000, []int64{1, 2, 5, 10, 15, 30}}, {3_600_000, []int64{1, 2, 3, 6, 12}}, {86_400_000, []int64{1, 2, 3, 7, 14, 30}}} {
		for _, step := range u.steps {
			out = append(out, step*u.unit)
		}
	}
	return out
}()

// person is the next larger delay that a person would write; beyond a month it is the delay
// itself.
func person(ms int64) int64 {
	i, _ := slices.BinarySearch(declared, ms)
	if i == len(declared) {
		return ms
	}
	return declared[i]
}
