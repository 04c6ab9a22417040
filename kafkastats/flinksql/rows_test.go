package flinksql

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func result(t *testing.T, text string) (rows [][]json.RawMessage) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestRows(t *testing.T) {
	got, err := Rows(result(t, `[[0,"missing",null,null,1,null,null],[0,"own",256,260,3,256,257],[1,"lag",-5,null,2,-5,-5]]`))
	if err != nil {
		t.Fatal(err)
	}
	n := func(v int64) *int64 { return &v }
	want := []Row{{0, "missing", nil, nil, 1, nil, nil}, {0, "own", n(256), n(260), 3, n(256), n(257)}, {1, "lag", n(-5), nil, 2, n(-5), n(-5)}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	if got, err := Rows(nil); err != nil || len(got) != 0 {
		t.Error("an empty range has no rows", got, err)
	}
}

func TestRowsRefuse(t *testing.T) {
	for text, part := range map[string]string{
		`[["OK"]]`:                          "row 1 of the result has 1 columns instead of 7",
		`[[0,"own",0,0,1,0,0],[0,"own",1]]`: "row 2",
		`[["a","own",0,0,1,0,0]]`:           `row 1, column 1 of the result is "a"`,
		`[[0,1,0,0,1,0,0]]`:                 "column 2",
		`[[0,"own","x",0,1,0,0]]`:           "column 3",
		`[[0,"own",0,0,-1,0,0]]`:            "column 5",
		`[[0,"own",0,0,1,0,1.5]]`:           "column 7",
	} {
		if _, err := Rows(result(t, text)); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
