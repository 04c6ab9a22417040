package cmd

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"tidemark/internal/cases"
)

// reporting are the commands that report, by their path below the program's name.
func reporting(t *testing.T) map[string]*cobra.Command {
	t.Helper()
	found := map[string]*cobra.Command{}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if c.Flags().Lookup("report") != nil {
			found[strings.TrimPrefix(c.CommandPath(), "tidemark ")] = c
		}
		for _, below := range c.Commands() {
			walk(below)
		}
	}
	walk(newRoot(newFake(nil).globals))
	return found
}

// A format that does not exist is a mistake that is said before anything is read: no command waits for
// a cluster that is not there, and none complains of a file that does not exist.
func TestAnUnknownFormatIsRefusedBeforeAnythingIsRead(t *testing.T) {
	arguments := map[string][]string{
		"triage": {"--from", "nowhere.jsonl"}, "watermarks": {"--from", "nowhere.jsonl"}, "crosscheck": {"job", "--from", "nowhere.jsonl"}, "whatif": {"job", "--from", "nowhere.jsonl"},
		"check": {"--policy", "nowhere.yaml"}, "alerts": {"--policy", "nowhere.yaml"}, "recommend": {"--records", "nowhere.csv"}, "simulate": {"--records", "nowhere.csv"}, "observe": {"orders", "--profile", "nowhere.profile", "--records", "nowhere.csv"},
		"checks": nil, "explain": {"TM102"}, "version": nil, "context": nil, "context list": nil, "context show": {"nowhere"},
	}
	for name := range reporting(t) {
		if _, known := arguments[name]; !known {
			t.Errorf("%s reports, and no arguments are known for it", name)
		}
	}
	for name, more := range arguments {
		for _, bad := range [][]string{{"-o", "yml"}, {"--report", "yml=x"}, {"--report", "json"}, {"--report", "json=" + t.TempDir() + "/gone/x"}} {
			f := newFake(nil)
			code := Main(slices.Concat(strings.Fields(name), more, bad), f.env)
			if code != exitUsage || f.out.Len() > 0 || strings.Contains(f.err.String(), "nowhere") || strings.Count(f.err.String(), "\n") != 1 {
				t.Errorf("%s %v: exit code %d, %q", name, bad, code, f.err)
			}
		}
	}
}

// Every report can be had in every format, on standard output and as a file, and both are the same.
func TestEveryReportComesInEveryFormat(t *testing.T) {
	dir := t.TempDir()
	holds := map[string]string{"table": "", "json": "{", "yaml": ":", "markdown": "", "html": "<!doctype html>"}
	formats := slices.Sorted(maps.Keys(holds))
	all := map[string][]string{
		"triage": {"triage", "--from", "demo/lab-healthy.jsonl.gz"}, "watermarks": {"watermarks", "--from", "demo/lab-healthy.jsonl.gz"},
		"recommend": {"recommend", "--records", "../testdata/records/orders.jsonl.gz", "--format", "csv", "--field", "2", "--target-late", "5%"},
		"simulate":  {"simulate", "--records", "../testdata/records/orders.jsonl.gz", "--format", "csv", "--field", "2", "--sort"},
		"whatif":    {"whatif", "lab-idle-partition", "--last", "20s", "--set", "Orders.idle-timeout=5s", "--from", "../testdata/records/job-idle-partition.jsonl.gz", "--records", "../testdata/records/silent3.jsonl.gz", "--format", "csv", "--field", "2"},
		"observe":   {"observe", "orders", "--profile", filepath.Join(dir, "p"), "--records", "../testdata/records/orders.jsonl.gz", "--format", "csv", "--field", "2"},
		"alerts":    {"alerts"}, "checks": {"checks"}, "explain": {"explain", "TM102"}, "version": {"version"},
	}
	for _, name := range cases.Some(slices.Sorted(maps.Keys(all)), 5) {
		args := all[name]
		path := func(format string) string { return filepath.Join(dir, name+"."+format) }
		for _, format := range formats {
			args = append(args, "--report", format+"="+path(format))
		}
		formats = slices.Concat(formats[1:], formats[:1])
		for _, format := range cases.Some(formats, 1) {
			f := newFake(nil)
			if code := Main(append(args, "-o", format), f.env); code > exitFindings || f.out.Len() == 0 {
				t.Errorf("%s as %s: exit code %d, %q", name, format, code, f.err)
			}
			file, err := os.ReadFile(path(format))
			if err != nil || !bytes.Equal(file, f.out.Bytes()) {
				t.Errorf("%s as %s: the file differs from what was written, %v", name, format, err)
			}
		}
		for format, want := range holds {
			file, err := os.ReadFile(path(format))
			if err != nil || len(file) == 0 || !strings.Contains(string(file), want) {
				t.Errorf("%s as %s does not hold %q, %v", name, format, want, err)
			}
		}
	}
}
