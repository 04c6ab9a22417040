package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file of columns is read by its name, as simulate reads it, and gives the report a name.
func TestRecommendReadsColumnsByTheNameOfTheFile(t *testing.T) {
	var b strings.Builder
	for i := range 4000 {
		event := 1_796_000_000_000 + i*100
		if i%300 == 299 {
			event -= 5000
		}
		fmt.Fprintf(&b, "0,%d,%d\n", 1_796_000_000_400+i*100, event)
	}
	path := filepath.Join(t.TempDir(), "orders.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"--records", path}, {"--records", path, "--format", "csv"}, {"--records", path, "--records-format", "csv"}} {
		out, errOut, err := run(t, newRecommend, "", "", args...)
		if err != nil || !strings.HasPrefix(out, "FITS orders.csv: ") || !strings.Contains(out, "4,000 records in 1 partition") {
			t.Errorf("%v: %v\n%s%.300s", args, err, errOut, out)
		}
	}
	_, _, err := run(t, newRecommend, "", "", "--records", path, "--records-format", "kcat")
	if code(err) != exitIncomplete || !strings.Contains(fmt.Sprint(err), "is read from a file named .csv") {
		t.Errorf("as kcat: %v", err)
	}
	if _, _, err = run(t, newRecommend, "", "", "--records", path, "--records-format", "tsv"); code(err) != exitUsage {
		t.Errorf("a format that does not exist: %v", err)
	}
}

// A file that does not exist is a mistake of whoever typed its name, in every command.
func TestAMissingRecordsFileIsAMistake(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none.jsonl")
	if _, _, err := run(t, newRecommend, "", "", "--records", path); code(err) != exitUsage {
		t.Errorf("recommend: %v", err)
	}
	if _, _, err := run(t, newSimulate, "", "", "--records", path, "--field", "ts"); code(err) != exitUsage {
		t.Errorf("simulate: %v", err)
	}
}

// Local time sent as epoch numbers: all of it is ahead of its arrival, nothing is measured, and no
// delay may be read out of the answer.
func TestNoDelayIsNamedWhereNothingWasMeasured(t *testing.T) {
	var b strings.Builder
	for i := range 4000 {
		arrival := 1_796_000_000_000 + i*100
		fmt.Fprintf(&b, `{"topic":"orders","partition":0,"offset":%d,"tstype":"create","ts":%d,"payload":"{\"ts\":%d}"}`+"\n", i, arrival, arrival-300+2*3_600_000)
	}
	for _, format := range []string{"table", "markdown", "html"} {
		out, errOut, err := run(t, newRecommend, format, b.String(), "--records", "-")
		if code(err) != exitFindings || !strings.Contains(errOut, "UTC+02:00 read as UTC") {
			t.Fatalf("%v %s", err, errOut)
		}
		for _, wrong := range []string{"ofMillis(0)", "< recommended", "Confluent", "too few", "event time itself", "replayed", "kafkaTs"} {
			if strings.Contains(out, wrong) {
				t.Errorf("%s says %q", format, wrong)
			}
		}
		for _, want := range []string{"0 of 4,000 records", "can be named", "--future-tolerance", " 15h", "Fix the timestamps first"} {
			if !strings.Contains(out, want) {
				t.Errorf("%s does not say %q:\n%.3000s", format, want, out)
			}
		}
	}
	out, _, err := run(t, newRecommend, "", b.String(), "--records", "-", "--future-tolerance", "15h")
	if code(err) != exitFindings || !strings.Contains(strings.Join(strings.Fields(out), " "), "delay to declare none; the sample alone would say 0 ms") || !strings.Contains(out, "FIX TIMESTAMPS FIRST orders: ") || !strings.Contains(out, "4,000 records in 1 partition") {
		t.Errorf("the way out does not work: %v\n%.600s", err, out)
	}
}
