package cmd

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"tidemark/flinkapi"
	"tidemark/internal/cases"
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
	"header": "nocolon", "cert": "nowhere.pem", "key": "nowhere.pem", "ca": "nowhere.pem", "proxy": "x:bad", "policy": "nowhere.yaml", "sql": "nowhere.sql", "replay": "nowhere.csv",
	"textfile": "x.txt", "listen": "nowhere:x", "save": "DIR/demo", "on": "flink", "target-late": "9%", "target-dropped": "1%", "hours": "some", "by": "nowhere", "max-errors": "0", "samples": "0",
	"recommend for": "200ms", "observe for": "1ns|7h", "max-bytes-per-second": "-1", "redact": "DIR/other", "snapshot output": "DIR/b.jsonl", "snapshot for": "40s", "snapshot interval": "25s", "at": "noon", "prometheus": "ftp://x", "match": "x=y", "prometheus-header": "nocolon", "prometheus-token-file": "nowhere", "sql-gateway": "x:bad", "flink-columns": "x", "flink-event": "x", "flink-format": "avro", "wait": "finished",
	"set": "Orders.delay=17s", "known": "Orders.delay=17s", "key-by": "1",
}

// walked is a source that a command reads.
type walked struct {
	runs   []string // command lines; DIR is a directory of the run
	vars   map[string]string
	now    time.Time     // zero: that of every fake
	asked  func() string // what brokers were asked since the last time, as far as it tells settings apart; nil: none is
	unseen []string      // flags whose effect is no other answer here; unseen_test.go has a test of each
	live   bool          // CLUSTER in a run replays a recording on a clock of the run, which is interrupted after a minute of it
}

// sources are runs of every command, one for each source that it reads; topics and the past in the slow run only.
func sources(t *testing.T) map[string]walked {
	rec, err := flinkapi.OpenRecording("demo/lab-idle-partition.jsonl.gz", nil)
	if err != nil {
		t.Fatal(err)
	}
	cluster, logins := askedCluster(t, rec)
	const recording, records = "demo/lab-idle-partition.jsonl.gz", "../testdata/records/orders.jsonl.gz"
	const decl = " --format csv --field 2"
	policy := expect.File(t, "tidemark.yaml", "version: 1\njobs:\n  - name: \"*\"\n    owner: team orders\n")
	bad := expect.File(t, "bad.csv", "0,1000,1000\n0,2000,5000000\n0,3000,x\n0,4000,3999\n")
	all := map[string]walked{}
	for name, runs := range map[string][]string{
		"triage, recording":     {"triage --from " + recording + " -o json", "triage --from demo/lab-healthy.jsonl.gz"},
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
		"recommend, profile":  {"recommend -o json --profile " + observedProfile(t, records+decl), "recommend --target-late 5% --profile " + observedProfile(t, records+decl)},
		"snapshot, recording": {"snapshot --from " + recording + " --redact " + replacedNames(t, recording) + " -o DIR/a.jsonl"},
	} {
		all[name] = walked{runs: runs}
	}
	all["watch, cluster"] = walked{live: true, unseen: []string{"insecure"}, runs: []string{"watch --flink CLUSTER"}}
	all["snapshot, cluster"] = walked{live: true, unseen: []string{"insecure"}, runs: []string{"snapshot lab-idle-partition -o DIR/a.jsonl --flink CLUSTER"}}
	configuration := map[string]string{"TIDEMARK_CONFIG": expect.File(t, "config.yaml", "current-context: a\ncontexts:\n  a: {flink: http://a}\n  b: {flink: http://b}\n")}
	for _, name := range []string{"context", "context list", "context show"} {
		all[name] = walked{vars: configuration, runs: []string{name}}
	}
	all["context use"] = walked{vars: configuration, runs: []string{"context use x"}}
	// The cluster speaks plain HTTP, and its one finding is critical.
	all["triage, cluster"] = walked{asked: logins, unseen: []string{"insecure", "min-severity"}, runs: []string{"triage --once --flink " + cluster}}
	if cases.Of(0, 1) == 0 {
		return all
	}
	gateway := countingGateway(t, smooth(60, 1))
	for name, w := range map[string]walked{
		"recommend, topic": {unseen: []string{"max-bytes-per-second"}, runs: []string{"recommend orders -o json --unit ms", "recommend orders --target-late 5%", "recommend broken -o json"}},
		"recommend, flink": {runs: []string{"recommend orders -o json --on flink --unit ms --sql-gateway " + gateway, "recommend orders --on flink --dry-run --unit ms", "recommend orders --target-late 5% --on flink --unit ms --sql-gateway " + gateway}},
		"simulate, topic":  {runs: []string{"simulate -q --topic orders -o json --window 1m --parallelism 2 --delay 1s --unit ms", "simulate -q --topic orders", "simulate -q --topic broken"}},
		"observe, topic": {unseen: []string{"max-bytes-per-second", "flush"}, runs: []string{"observe orders -o json --for 1500ms --from-start --profile DIR/p --unit ms", "observe orders --for 1500ms --profile DIR/p",
			"observe broken --for 1500ms --from-start --profile DIR/p"}},
	} {
		var broker string
		broker, w.asked = askedBroker(t)
		for i := range w.runs {
			w.runs[i] += " --field event_time --brokers " + broker
		}
		all[name] = w
	}
	_, past := pastServer(t)
	all["triage, past"] = walked{now: dayAfter, unseen: []string{"min-severity"}, runs: []string{"triage dc4224b8 --prometheus " + past + " --from " + pastGraph + " --at 2026-11-30T20:20:00Z", "triage dc4224b8 --prometheus " + past + " --from " + pastGraph + " --since 2026-11-30T20:13:00Z --until 2026-11-30T20:20:00Z"}}
	all["check init, past"] = walked{now: dayAfter, runs: []string{"check init dc4224b8 --prometheus " + past + " --from " + pastGraph + " --since 2026-11-30T20:12:30Z --until 2026-11-30T20:22:00Z"}}
	return all
}

// tells runs a command and gives everything that it leaves: exit code, output, files and what brokers were asked.
func (w walked) tells(t *testing.T, args string, more ...string) string {
	t.Helper()
	if w.asked != nil {
		w.asked()
	}
	dir, line := "", append(strings.Fields(args), more...)
	if strings.Contains(strings.Join(line, " "), "DIR") {
		dir = t.TempDir()
	}
	f := newFake(w.vars)
	if !w.now.IsZero() {
		f.Now = func() time.Time { return w.now }
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var asked func() string
	var names []string
	if dir != "" {
		names = []string{"DIR", dir}
	}
	if w.live {
		var url string
		url, asked = playedCluster(t, f, cancel)
		names = append(names, "CLUSTER", url)
	}
	for i := range line {
		line[i] = strings.NewReplacer(names...).Replace(line[i])
	}
	root := newRoot(f.globals)
	root.SetArgs(line)
	code := finish(f.globals, ctx, root.ExecuteContext(ctx))
	left := fmt.Sprintf("%d\n%s\n%s", code, f.out, f.err)
	files, _ := os.ReadDir(dir)
	for _, entry := range files {
		file := filepath.Join(dir, entry.Name())
		data, _ := os.ReadFile(file)
		if w.live { // jobs are read side by side, and a clock that is slept on gives no answer a time of its own
			lines := strings.Split(string(data), "\n")
			slices.Sort(lines)
			data = []byte(strings.Join(lines, "\n"))
		}
		left += file + string(data)
	}
	if asked != nil {
		left += asked()
	}
	if w.asked != nil {
		left += w.asked()
	}
	slices.Reverse(names)
	return strings.NewReplacer(names...).Replace(left)
}

// settles gives what a run tells twice in a row: one that reads a topic for so long may be cut short on a machine
// that is busy. A plain run believes the first.
func (w walked) settles(t *testing.T, args string) string {
	t.Helper()
	first := w.tells(t, args)
	if cases.Of(0, 1) == 0 {
		return first
	}
	for range 5 {
		again := w.tells(t, args)
		if again == first {
			return first
		}
		t.Logf("%s says something else: %s", args, cmp.Diff(strings.Split(first, "\n"), strings.Split(again, "\n")))
		first = again
	}
	t.Fatalf("%s says something else each time", args)
	return ""
}

// tries says whether a flag is given to the runs of a source. What is only said of progress is left out.
func (w walked) tries(name string, f *pflag.Flag) bool {
	return !slices.Contains([]string{"help", "verbose", "quiet", "color"}, f.Name) && !strings.Contains(w.runs[0]+" ", " --"+f.Name+" ") && !slices.Contains(w.unseen, f.Name) &&
		(name != "check, replay" || f.Name != "min-severity") // a replay that fails is critical
}

// command is the command of a source, with the flags of the program.
func (w walked) command(t *testing.T) *cobra.Command {
	t.Helper()
	c, _, err := newRoot(newFake(nil).globals).Find(strings.Fields(w.runs[0]))
	if err != nil {
		t.Fatal(err)
	}
	_ = c.ParseFlags(nil) // merges the flags of the program
	return c
}

// Nothing that is accepted is ignored: with any flag more a command does something else, or refuses it and
// names it. A plain run tries a flag with one source of its command, and the sources take turns.
func TestNoFlagIsIgnored(t *testing.T) {
	t.Parallel()
	all := sources(t)
	of := map[string][]string{"help": nil} // the sources of a command
	for _, name := range slices.Sorted(maps.Keys(all)) {
		command := below(all[name].command(t))
		of[command] = append(of[command], name)
	}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if c.Name() == "completion" { // cobra's own, which reads nothing
			return
		}
		if _, seen := of[below(c)]; !seen && c.Runnable() && c.HasParent() {
			t.Errorf("%s has no source to walk", below(c))
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newRoot(newFake(nil).globals))
	tried := map[string][]*pflag.Flag{}
	for _, names := range of {
		if len(names) == 0 {
			continue
		}
		turn := 0
		all[names[0]].command(t).Flags().VisitAll(func(f *pflag.Flag) {
			takes := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !all[name].tries(name, f) })
			if n := len(takes); n > 1 && cases.Of(0, 1) == 0 {
				takes = takes[turn%n : turn%n+1]
			}
			turn++
			for _, name := range takes {
				tried[name] = append(tried[name], f)
			}
		})
	}
	for name, flags := range tried {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := all[name]
			c := w.command(t)
			before := map[string]string{}
			for _, args := range w.runs {
				before[args] = w.settles(t, args)
			}
			changes := func(f *pflag.Flag) bool {
				for _, args := range w.runs {
					for _, flag := range flagged(c, f) {
						if !strings.Contains(args+" ", " --"+f.Name+" ") && w.tells(t, args, flag) != before[args] {
							return true
						}
					}
				}
				return false
			}
			for _, f := range flags {
				if !changes(f) {
					t.Errorf("%s: %s changes nothing", name, flagged(c, f))
				}
			}
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

// dayAfter is the day after the series of pastServer.
var dayAfter = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

// askedCluster is a cluster whose clock stands, and says how it was asked.
func askedCluster(t *testing.T, rec *flinkapi.Recording) (url string, asked func() string) {
	t.Helper()
	replay := flinktest.NewReplay(rec.Entries, flinktest.ReplayOptions{Now: flinktest.NewClock(rec.Entries[len(rec.Entries)-1].T).Now})
	var mu sync.Mutex
	login := ""
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		login = r.Header.Get("Authorization")
		mu.Unlock()
		replay.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	return srv.URL, func() string {
		mu.Lock()
		defer mu.Unlock()
		return login
	}
}

// playedCluster replays a recording for one run, on a clock that the run sleeps on; it interrupts the run after a
// minute, and says how the cluster was asked.
func playedCluster(t *testing.T, f fake, interrupt func()) (url string, asked func() string) {
	t.Helper()
	rec := flinktest.Open(t, "demo/lab-idle-partition.jsonl.gz")
	clock := flinktest.NewClock(rec.Entries[0].T)
	end := clock.Now().Add(time.Minute)
	f.Now = clock.Now
	f.Sleep = func(ctx context.Context, d time.Duration) error {
		if err := clock.Sleep(ctx, d); err != nil || clock.Now().Before(end) {
			return err
		}
		interrupt()
		return context.Cause(ctx)
	}
	var login atomic.Value
	replay := flinktest.NewReplay(rec.Entries, flinktest.ReplayOptions{Now: clock.Now})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		login.Store(r.Header.Get("Authorization"))
		replay.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	return srv.URL, func() string { return fmt.Sprint(login.Load()) }
}

// replacedNames is a file of replaced names, so that a recording is rewritten alike each time.
func replacedNames(t *testing.T, recording string) string {
	t.Helper()
	dir := t.TempDir()
	f := newFake(nil)
	if code := Main([]string{"snapshot", "--from", recording, "--redact", dir + "/names", "-o", dir + "/a.jsonl"}, f.env); code != exitClean {
		t.Fatalf("%d %s", code, f.err)
	}
	return dir + "/names"
}

// observedProfile is the profile of a file of records.
func observedProfile(t *testing.T, records string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "profile")
	f := newFake(nil)
	if code := Main(strings.Fields("observe orders --profile "+path+" --records "+records), f.env); code != exitClean {
		t.Fatalf("%d %s", code, f.err)
	}
	return path
}

// askedBroker has the topics orders and broken, whose records have an event time only in part, and says how
// records were asked for.
func askedBroker(t *testing.T) (addr string, asked func() string) {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(2, "orders", "broken"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	addr = c.ListenAddrs()[0]
	fill(t, addr, [][]planted{smooth(60, 1), smooth(60, 2)})
	cl, err := kgo.NewClient(kgo.DisableClientMetrics(), kgo.SeedBrokers(addr))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	for i, value := range []string{`{"event_time":1796000000000}`, `{"event_time":"soon"}`, `{"event_time":1796000009000}`, `{}`, `x`, `{"event_time":1796000605000}`} {
		r := &kgo.Record{Topic: "broken", Value: []byte(value), Timestamp: time.UnixMilli(1_796_000_000_000 + int64(i)*1000)}
		if err := cl.ProduceSync(context.Background(), r).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	said := map[string]bool{}
	c.ControlKey(int16(kmsg.Fetch), func(r kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		mu.Lock()
		defer mu.Unlock()
		f := r.(*kmsg.FetchRequest)
		said[fmt.Sprintf("rack %q, isolation %d", f.Rack, f.IsolationLevel)] = true
		return nil, nil, false
	})
	return addr, func() string {
		mu.Lock()
		defer mu.Unlock()
		text := strings.Join(slices.Sorted(maps.Keys(said)), "; ")
		clear(said)
		return text
	}
}
