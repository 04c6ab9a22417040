package cmd

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tidemark/flinkapi"
	"tidemark/internal/expect"
	"tidemark/internal/flinktest"
)

// tellingValues are values that no run goes the same with, by the name of the flag; command and name where a
// command needs one of its own.
var tellingValues = map[string]string{
	"format": "key", "field": "nowhere", "unit": "s", "zone": "Mars", "separator": ";", "payload-schema": "nowhere.avsc", "schema": "nowhere.avsc", "message": "none.Such",
	"schema-registry": "x:bad", "schema-registry-ca": "nowhere.pem", "schema-registry-cert": "nowhere.pem", "schema-registry-key": "nowhere.pem",
	"records-format": "csv", "flush": "0s", "future-tolerance": "1ms|24h", "within": "1us", "cycle": "1s|7h", "brokers": "http://h:1", "kafka-config": "nowhere.properties", "rack": "r", "since": "noon", "until": "noon", "from": "nowhere.jsonl", "recommend from": "noon", "to": "noon",
	"strategy": "=", "strategies": "nowhere.yaml", "expect": "late=0", "window": "7m", "delay": "17s", "dialect": "sql", "kind": "ascending", "emit": "punctuated", "emit-interval": "37ms", "interval": "-1s", "place": "downstream",
	"idle-timeout": "1ms", "tail": "0s|1m", "allowed-lateness": "9s", "last": "-1", "segments": "-1", "partitions": "99", "parallelism": "2", "flink-version": "1.17",
	"output": "markdown", "report": "json=x/y", "fail-on": "none", "min-severity": "critical|warning", "profile": "nowhere.profile", "topic": "t|u|v", "records": "nowhere.csv",
	"context": "nowhere", "flink": "ftp://x", "timeout": "0", "token-file": "nowhere", "token-env": "NOWHERE", "username": "u", "password-file": "nowhere", "password-env": "NOWHERE",
	"header": "nocolon", "cert": "nowhere.pem", "key": "nowhere.pem", "ca": "nowhere.pem", "proxy": "x:bad", "policy": "nowhere.yaml", "sql": "nowhere.sql", "sql-gateway": "x:bad", "replay": "nowhere.csv",
	"textfile": "x.txt", "listen": "nowhere:x", "save": "DIR/demo", "on": "flink", "target-late": "9%", "target-dropped": "1%", "hours": "some", "by": "nowhere", "max-errors": "0", "samples": "0",
	"set": "Orders.delay=17s", "known": "Orders.delay=17s", "key-by": "1",
}

// sources are runs of every command, one for each source that it reads. DIR is a directory of the run.
func sources(t *testing.T) map[string][]string {
	rec, err := flinkapi.OpenRecording("demo/lab-idle-partition.jsonl.gz", nil)
	if err != nil {
		t.Fatal(err)
	}
	cluster := httptest.NewServer(flinktest.NewReplay(rec.Entries, flinktest.ReplayOptions{Interval: 20 * time.Millisecond}))
	t.Cleanup(cluster.Close)
	const recording, records = "demo/lab-idle-partition.jsonl.gz", "../testdata/records/orders.jsonl.gz"
	const decl = " --format csv --field 2"
	policy := expect.File(t, "tidemark.yaml", "version: 1\njobs:\n  - name: \"*\"\n    owner: team orders\n")
	bad := expect.File(t, "bad.csv", "0,1000,1000\n0,2000,5000000\n0,3000,x\n0,4000,3999\n")
	return map[string][]string{
		"triage, recording":     {"triage --from " + recording + " -o json", "triage --from demo/lab-healthy.jsonl.gz"},
		"triage, cluster":       {"triage --once --flink " + cluster.URL},
		"watermarks, recording": {"watermarks --from " + recording},
		"recommend, records":    {"recommend -o json --records " + records + decl, "recommend -o json --records " + bad, "recommend --target-late 5% --records " + records + decl},
		"simulate, records": {"simulate --sort --records " + records + decl, "simulate --records " + records + decl,
			"simulate --sort --parallelism 3 --delay 1s --window 1m --records " + records + decl, "simulate --records " + bad, "simulate -o json --records ../testdata/records/five.csv"},
		"crosscheck, recording": {"crosscheck lab-bound-too-large -o json --from ../testdata/records/job-bound-too-large.jsonl.gz --records " + records + decl,
			"crosscheck lab-bound-too-large --from ../testdata/records/job-bound-too-large.jsonl.gz --delay 17s --records " + records + decl,
			"crosscheck lab-idle-partition -o json --from ../testdata/records/job-idle-partition.jsonl.gz --delay 2s --records ../testdata/records/silent3.jsonl.gz" + decl},
		"whatif, recording": {"whatif lab-idle-partition --last 20s --set Orders.idle-timeout=5s -o json --from ../testdata/records/job-idle-partition.jsonl.gz --records ../testdata/records/silent3.jsonl.gz" + decl},
		"observe, records":  {"observe orders --profile DIR/p --records " + records + decl, "observe orders --profile DIR/p --records " + bad},
		"check, recording":  {"check --from " + recording + " --policy " + policy, "check --fail-on none -o json --policy " + policy + " --from demo/lab-healthy.jsonl.gz"},
		"check, replay": {"check --sort -o json --expect late=0,lag-end=0 --replay " + records + decl, "check --expect late=0 --replay " + records + decl,
			"check --sort -o json --parallelism 3 --delay 1s --expect late=0,lag-end=0,lag-max=0,fired=0 --window 1m --allowed-lateness 1s --replay " + records + decl, "check --expect late=0 --replay " + bad, "check --expect fired=0 --sort --replay " + records + decl,
			"check --expect lag-end=0,late=0 -o json --sort --place downstream --idle-timeout 1ms --replay " + records + decl,
			"check --expect lag-max=0 --idle-timeout 200ms --replay ../testdata/records/wakes.csv"},
		"check, schema":         {"check --policy-schema"},
		"check init, recording": {"check init --from " + recording, "check init --from ../testdata/recordings/flink-1.20.3/lab-healthy.jsonl.gz"},
		"export, recording":     {"export --once --textfile DIR/x.prom --from " + recording},
		"alerts":                {"alerts"}, "explain": {"explain TM102"}, "checks": {"checks"}, "version": {"version"}, "demo": {"demo"},
		"context": {"context"}, "context list": {"context list"}, "context show": {"context show"}, "context use": {"context use x"},
	}
}

// tells runs a command and gives everything that it leaves: exit code, output and files.
func tells(t *testing.T, args string, more ...string) string {
	t.Helper()
	dir := t.TempDir()
	line := append(strings.Fields(args), more...)
	for i := range line {
		line[i] = strings.ReplaceAll(line[i], "DIR", dir)
	}
	f := newFake(nil)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	root := newRoot(f.globals)
	root.SetArgs(line)
	code := finish(f.globals, ctx, root.ExecuteContext(ctx))
	left := fmt.Sprintf("%d\n%s\n%s", code, f.out, f.err)
	files, _ := filepath.Glob(dir + "/*")
	for _, file := range files {
		data, _ := os.ReadFile(file)
		left += file + string(data)
	}
	return strings.ReplaceAll(left, dir, "DIR")
}

// Nothing that is accepted is ignored: with any flag more a command does something else, or refuses it and
// names it. Only what is said of progress is left out.
func TestNoFlagIsIgnored(t *testing.T) {
	t.Parallel()
	all := sources(t)
	walked := map[string]bool{"watch": true, "snapshot": true, "help": true} // the first two read a cluster as triage does
	for _, runs := range all {
		c, _, err := newRoot(newFake(nil).globals).Find(strings.Fields(runs[0]))
		if err != nil {
			t.Fatal(err)
		}
		walked[below(c)] = true
	}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if c.Runnable() && c.HasParent() && !walked[below(c)] {
			t.Errorf("%s has no source to walk", below(c))
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newRoot(newFake(nil).globals))
	for name, runs := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _, err := newRoot(newFake(nil).globals).Find(strings.Fields(runs[0]))
			if err != nil {
				t.Fatal(err)
			}
			_ = c.ParseFlags(nil) // merges the flags of the program
			before := map[string]string{}
			for _, args := range runs {
				before[args] = tells(t, args)
			}
			changes := func(f *pflag.Flag) bool {
				for _, args := range runs {
					for _, flag := range flagged(c, f) {
						if !strings.Contains(args+" ", " --"+f.Name+" ") && tells(t, args, flag) != before[args] {
							return true
						}
					}
				}
				return false
			}
			c.Flags().VisitAll(func(f *pflag.Flag) {
				if slices.Contains([]string{"help", "verbose", "quiet", "color"}, f.Name) || strings.Contains(runs[0]+" ", " --"+f.Name+" ") ||
					name == "check, replay" && f.Name == "min-severity" { // a replay that fails is critical
					return
				}
				if !changes(f) {
					t.Errorf("%s: %s changes nothing", name, flagged(c, f))
				}
			})
		})
	}
}

// flagged are ways to give a flag.
func flagged(c *cobra.Command, f *pflag.Flag) (all []string) {
	value, ok := tellingValues[c.Name()+" "+f.Name]
	if !ok {
		value, ok = tellingValues[f.Name]
	}
	switch {
	case f.Value.Type() == "bool":
		return []string{"--" + f.Name}
	case !ok && f.Value.Type() == "duration":
		value = "7h"
	case !ok:
		value = "7"
	}
	for _, v := range strings.Split(value, "|") {
		all = append(all, "--"+f.Name+"="+v)
	}
	return all
}
