package cmd

import (
	"strings"
	"testing"
)

// What a flag was called before is still understood, and hidden.
func TestFormerNamesOfFlags(t *testing.T) {
	root := newRoot(&globals{env: newFake(nil).env})
	for command, names := range map[string]map[string]string{
		"recommend": {"from": "since", "to": "until", "schema": "payload-schema"},
		"observe":   {"from": "since", "to": "until", "schema": "payload-schema"},
		"simulate":  {"from": "since", "to": "until", "interval": "emit-interval", "schema": "payload-schema"},
		"check":     {"schema": "policy-schema"},
		"alerts":    {"window": "range"},
	} {
		c, _, err := root.Find([]string{command})
		if err != nil {
			t.Fatal(err)
		}
		for old, name := range names {
			former, now := c.Flags().Lookup(old), c.Flags().Lookup(name)
			if former == nil || now == nil || !former.Hidden || now.Hidden || former.Value.Type() != now.Value.Type() {
				t.Errorf("%s: --%s is %+v, --%s is %+v", command, old, former, name, now)
			}
		}
	}
}

// A mistake in a flag says which, what was given and what to write.
func TestAFlagThatCannotBeReadSaysWhatToWrite(t *testing.T) {
	for args, want := range map[string]string{
		"alerts --late-share 0.01":                    `--late-share is "0.01": add the percent sign: write 1% or 0.01%; see ` + "`tidemark alerts --help`",
		"alerts --late-share 120%":                    `--late-share is "120%": a share is at most 100%`,
		"alerts --max-restarts x":                     `--max-restarts is "x": write a whole number`,
		"alerts --late-shar 1%":                       "no flag --late-shar; near: --late-share",
		"alerts --bogus":                              "no flag --bogus; see `tidemark alerts --help`",
		"alerts --max-restarts":                       "--max-restarts needs a value",
		"triage --quiet=perhaps":                      `--quiet is "perhaps": write true or false`,
		"triage --interval soon":                      `--interval is "soon": `,
		"simulate --records x.csv --from a.jsonl":     "--since is \"a.jsonl\", which is not a time: name a file of records with --records",
		"observe t --profile p --records x --from 5":  "--since is \"5\": ",
		"triag --from x":                              "no command \"triag\"; near: triage",
		"bogus --from x":                              "no command \"bogus\"; see `tidemark --help`",
		"checks --from x":                             "no flag --from; see `tidemark checks --help`",
		"watch --from x":                              "watch reads a live cluster; `tidemark triage --from FILE` reads a recording",
		"snapshot -o x":                               "snapshot needs the name or id of a job; `tidemark triage` lists them",
		"triage http://u:p@h:8081":                    "http://***@h:8081 is no name of a job; a cluster is given with --flink: `tidemark triage --flink ",
		"watermarks a.jsonl.gz":                       "a.jsonl.gz is no name of a job; a recording is given with --from: `tidemark watermarks --from a.jsonl.gz`",
		"watch a.jsonl":                               "a.jsonl is no name of a job; `tidemark triage --from a.jsonl` reads a recording",
		"explain TM102 --flink http://h":              "--flink is not used: explain reads no cluster",
		"recommend t --token-file x":                  "--token-file is not used: recommend reads no cluster",
		"context use x --context y":                   "--context is not used: context use reads no cluster",
		"triage --from a.jsonl --context y":           "--context is not used: a recording is read, and no cluster",
		"checks TM102":                                "checks lists every check; `tidemark explain TM102` explains one",
		"triage --interval 5":                         `--interval is "5": add a unit, such as 5s; see ` + "`tidemark triage --help`",
		"recommend t --sla 30":                        `--sla is "30": add a unit, such as 30s`,
		"recommend t --since 7 --brokers h:1":         `--since is "7": add a unit, such as 7s`,
		"recommend t --target-late 0.1 --brokers h:1": `--target-late is "0.1": add the percent sign: write 10% or 0.1%`,
		"crosscheck":                                  "crosscheck needs the name or id of a job; `tidemark triage` lists them",
		"whatif a b":                                  `whatif takes one argument, and "b" is another`,
		"explain":                                     "explain needs the code or cause of a check; `tidemark checks` lists them",
		"observe":                                     "observe needs the name of a topic",
		"context list x":                              `context list takes no argument, and "x" is one`,
		"triage a.gz":                                 "a.gz is no name of a job; a recording is given with --from: `tidemark triage --from a.gz`",
		"crosscheck http://h:8081":                    "http://h:8081 is no name of a job; a cluster is given with --flink: `tidemark crosscheck --flink http://h:8081 JOB`",
		"observe t --window 5":                        `--window is "5": add a unit, such as 5s`,
		"recommend --records ../testdata/records/orders.jsonl.gz --unit s": `none of the first 300 records has an event time in s; without --unit: csv "2" (ms`,
		"recommend t -o yml": `--output is "yml"; it takes `,
	} {
		f := newFake(nil)
		code := Main(strings.Fields(args), f.env)
		if code != exitUsage || !strings.HasPrefix(f.err.String(), "tidemark: "+want) || f.out.Len() > 0 {
			t.Errorf("%s ends with %d: %s%s\nwant %s", args, code, f.out, f.err, want)
		}
	}
}
