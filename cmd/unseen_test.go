package cmd

import (
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tidemark/internal/flinktest"
)

// What the walk of all flags cannot see: how fast is read, how often is written, whom is trusted, and what is left
// out of a report whose findings are all alike.

func TestInsecureTrustsAnyCertificate(t *testing.T) {
	t.Parallel()
	entries := flinktest.Open(t, "demo/lab-idle-partition.jsonl.gz").Entries
	clock := flinktest.NewClock(entries[0].T)
	srv := httptest.NewUnstartedServer(flinktest.NewReplay(entries, flinktest.ReplayOptions{Now: clock.Now}))
	srv.Config.ErrorLog = log.New(io.Discard, "", 0) // refused handshakes
	srv.StartTLS()
	t.Cleanup(srv.Close)
	for _, command := range []string{"triage --once", "snapshot lab-idle-partition --once -o DIR/a.jsonl"} {
		for flag, trusted := range map[string]bool{"": false, " --insecure": true} {
			f := newFake(nil)
			f.Now, f.Sleep = clock.Now, clock.Sleep
			code := Main(strings.Fields(strings.Replace(command, "DIR", t.TempDir(), 1)+flag+" --flink "+srv.URL), f.env)
			if trusted != (code != exitIncomplete) || !trusted && !strings.Contains(f.err.String(), "certificate") {
				t.Errorf("%s%s: exit code %d, %s", command, flag, code, f.err)
			}
		}
	}
}

func TestMinSeverityLeavesOutWhatIsLess(t *testing.T) {
	const warned = "../testdata/recordings/flink-2.3.0/lab-bound-too-large.jsonl.gz"
	for flag, shown := range map[string]bool{"": true, " --min-severity critical": false} {
		f := newFake(nil)
		if Main(strings.Fields("triage -o json --from "+warned+flag), f.env); strings.Contains(f.out.String(), `"code": "TM301"`) != shown {
			t.Errorf("%q: TM301 is shown: %v\n%s", flag, !shown, f.out)
		}
	}
}

// Slower than a record a second, a reading that may take a moment does not get beyond the first answer.
func TestMaxBytesPerSecondHoldsAReadingBack(t *testing.T) {
	t.Parallel()
	addr := brokerWith(t, [][]planted{smooth(2000, 1), smooth(2000, 2)})
	read := func(more ...string) uint64 {
		out, e, err := run(t, newRecommend, "json", "", append([]string{"orders", "--brokers", addr, "--field", "event_time"}, more...)...)
		if code(err) == exitUsage {
			t.Fatal(err, e)
		}
		if out == "" { // not even one answer came in time
			return 0
		}
		return decodeRecommendation(t, out).Counters.Seen()
	}
	if all := read(); all != 4000 {
		t.Fatalf("%d records without a limit", all)
	}
	if some := read("--max-bytes-per-second", "1", "--for", "300ms"); some >= 4000 {
		t.Errorf("%d records at a byte a second", some)
	}
}

// What a crash may lose is written as often: the clock of the test says how often that is.
func TestFlushSaysHowOftenAProfileIsWritten(t *testing.T) {
	size := map[string]int64{}
	for _, flush := range []string{"1ms", "1000h"} {
		f, file := newFake(nil), filepath.Join(t.TempDir(), "p")
		now := f.Now()
		f.Now = func() time.Time { now = now.Add(time.Second); return now }
		line := "observe orders --records ../testdata/records/orders.jsonl.gz --format csv --field 2 --profile " + file + " --flush " + flush
		if code := Main(strings.Fields(line), f.env); code != exitClean {
			t.Fatalf("%d %s", code, f.err)
		}
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		size[flush] = info.Size()
	}
	if size["1ms"] <= size["1000h"] {
		t.Errorf("sizes of the profile: %v", size)
	}
}
