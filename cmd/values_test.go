package cmd

import (
	"strings"
	"testing"
)

// A mistake in a flag says which, what was given and what to write.
func TestAFlagThatCannotBeReadSaysWhatToWrite(t *testing.T) {
	for args, want := range map[string]string{
		"alerts --late-share 0.01": `--late-share is "0.01": add the sign: write 1% or 0.01%; see ` + "`tidemark alerts --help`",
		"alerts --late-share 120%": `--late-share is "120%": a share is at most 100%`,
		"alerts --max-restarts x":  `--max-restarts is "x": write a whole number`,
		"alerts --late-shar 1%":    "no flag --late-shar; near: --late-share",
		"alerts --bogus":           "no flag --bogus; see `tidemark alerts --help`",
		"alerts --max-restarts":    "--max-restarts needs a value",
		"triage --quiet=perhaps":   `--quiet is "perhaps": write true or false`,
		"triage --interval soon":   `--interval is "soon": `,
		"watch --from x":           "watch reads a live cluster; `tidemark triage --from FILE` reads a recording",
		"snapshot -o x":            "snapshot needs the name or id of a job; `tidemark triage` lists them",
		"checks TM102":             "checks lists every check; `tidemark explain TM102` explains one",
	} {
		f := newFake(nil)
		code := Main(strings.Fields(args), f.env)
		if code != exitUsage || !strings.HasPrefix(f.err.String(), "tidemark: "+want) || f.out.Len() > 0 {
			t.Errorf("%s ends with %d: %s%s\nwant %s", args, code, f.out, f.err, want)
		}
	}
}
