package analyze

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"tidemark/flinkapi"
	"tidemark/internal/golden"
)

// An edit makes a fixture by the smallest change of a real recording.
type edit struct {
	file, from string // below checks and testdata
	do         func([]flinkapi.Entry)
}

var edits = []edit{
	{"idle-split/quiet.edit-one-fetch", "recordings/flink-2.3.0/lab-plain", sameFetchTwice},
	{"late-records/quiet.edit-one-fetch", "recordings/flink-2.3.0/lab-late", sameFetchTwice},
	{"late-records/quiet.edit-no-meter", "checks/late-records/fires.between-windows-2.3.0", replacing(isVertex, `lateRecordsDroppedRate","value":"[^"]+"`, `lateRecordsDroppedRate","value":"0.0"`)},
	{"operator-stall/quiet.edit-one-fetch", "checks/operator-stall/fires.timer-backlog-2.3.0", sameFetchTwice},
	{"idle-split/quiet.edit-cache-frozen", "recordings/flink-2.3.0/lab-healthy-2", cacheFrozen},
	{"idle-split/quiet.edit-cancelled", "recordings/flink-2.3.0/lab-plain", replacing(isJob, `"state":"RUNNING"`, `"state":"CANCELED"`)},
	{"idle-split/quiet.edit-just-restarted", "recordings/flink-2.3.0/lab-plain", replacing(isJobMetrics, `"id":"uptime","value":"\d+"`, `"id":"uptime","value":"20000"`)},
	{"idle-split/quiet.edit-low-traffic", "checks/idle-split/fires.plain-2.3.0", lowTraffic},
	{"idle-split/quiet.edit-below-timeout", "recordings/flink-1.20.3/sql-idle-split", withTimeout("120000")},
	{"idle-split/fires.edit-above-timeout", "recordings/flink-1.20.3/sql-idle-split", withTimeout("30000")},
	{"never-emitted/fires.edit-splits-gone", "recordings/flink-2.3.0/lab-no-strategy", withoutSplits},
	{"idle-subtask/fires.edit-splits-unnamed", "recordings/flink-2.3.0/lab-over-parallel", withoutSplits},
	{"idle-subtask/quiet.edit-splits-unnamed", "checks/excess-parallelism/quiet.over-parallel-declared-2.3.0", withoutSplits},
	{"idleness-not-set/quiet.edit-timeout-set", "recordings/flink-1.20.3/sql-tumble-5s", withTimeout("60000")},
	{"drift-below-idle/quiet.edit-drift-2-min", "checks/drift-below-idle/fires.sql-idle-timeout-aligned-1.18.1", replacing(isPlan, `PT10S`, `PT2M`)},
	{"restart-loop/quiet.edit-one-old-restart", "recordings/flink-2.3.0/lab-healthy-2", replacing(isJobMetrics, `"id":"numRestarts","value":"0"`, `"id":"numRestarts","value":"1"`)},
	{"rowtime-lost/fires.edit-range-join", "checks/rowtime-lost/quiet.sql-regular-join-2.3.0",
		replacing(isPlan, `\(line = line0\)`, `(ts &gt;= (EXPR$$1 - 15000:INTERVAL SECOND)) AND (ts &lt;= (EXPR$$1 + 20000:INTERVAL SECOND))`)},
}

// The stored fixtures are their sources with the edits applied.
func TestEditedFixtures(t *testing.T) {
	listed := map[string]bool{}
	for _, e := range edits {
		listed[e.file] = true
		t.Run(e.file, func(t *testing.T) {
			rec, err := flinkapi.OpenRecording("../testdata/"+e.from+".jsonl.gz", nil)
			if err != nil {
				t.Fatal(err)
			}
			original := written(t, rec.Entries)
			e.do(rec.Entries)
			edited := written(t, rec.Entries)
			if bytes.Equal(original, edited) {
				t.Fatal("the edit changes nothing")
			}
			path := filepath.Join(checksDir, e.file+".jsonl.gz")
			if golden.Renew() {
				writeGzip(t, path, edited)
			}
			stored, err := flinkapi.OpenRecording(path, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(written(t, stored.Entries), edited) {
				t.Error("the stored file", golden.Stale)
			}
		})
	}
	for _, f := range filesIn(t, filepath.Join(checksDir, "*", "*.edit-*.jsonl.gz")) {
		name, _ := filepath.Rel(checksDir, strings.TrimSuffix(f, ".jsonl.gz"))
		if !listed[filepath.ToSlash(name)] {
			t.Errorf("%s is named an edit, but no edit makes it", name)
		}
	}
}

func written(t *testing.T, entries []flinkapi.Entry) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, e := range entries {
		if err := flinkapi.WriteEntry(&b, e); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func writeGzip(t *testing.T, path string, content []byte) {
	t.Helper()
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if _, err := z.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func isVertex(path string) bool { return strings.Contains(path, "/vertices/") }

func isPlan(path string) bool { return strings.HasSuffix(path, "/plan") || isJob(path) }

func isJob(path string) bool {
	return strings.HasPrefix(path, "/jobs/") && len(path) == len("/jobs/")+32
}

func isJobMetrics(path string) bool {
	return strings.HasPrefix(path, "/jobs/") && strings.Contains(path, "/metrics?get=") && !isVertex(path)
}

func replacing(where func(string) bool, pattern, with string) func([]flinkapi.Entry) {
	re := regexp.MustCompile(pattern)
	return func(entries []flinkapi.Entry) {
		for i := range entries {
			if where(entries[i].Path) {
				entries[i].Body = re.ReplaceAll(entries[i].Body, []byte(with))
			}
		}
	}
}

// sameFetchTwice gives every later reading of a vertex the answers of the first, end-timestamp included: the client asked
// again before the JobManager's cache had refreshed.
func sameFetchTwice(entries []flinkapi.Entry) {
	first := map[string][]byte{}
	for i, e := range entries {
		if !isVertex(e.Path) {
			continue
		}
		if body, seen := first[e.Path]; seen {
			entries[i].Body = body
		} else {
			first[e.Path] = e.Body
		}
	}
}

var endTimestamp = regexp.MustCompile(`"end-timestamp":\d+`)

// cacheFrozen is a cluster whose metric fetch hangs: the same values, from ten minutes ago.
func cacheFrozen(entries []flinkapi.Entry) {
	sameFetchTwice(entries)
	for i, e := range entries {
		if isVertex(e.Path) {
			old := strconv.FormatInt(entries[0].T-600_000, 10)
			entries[i].Body = endTimestamp.ReplaceAll(e.Body, []byte(`"end-timestamp":`+old))
		}
	}
}

var sourceRecords = regexp.MustCompile(`("id":"\d\.Source__Orders\.numRecords(?:In|Out)","value":")(\d+)"`)

// lowTraffic sets the record counters of source subtasks to a handful.
func lowTraffic(entries []flinkapi.Entry) {
	for i, e := range entries {
		entries[i].Body = sourceRecords.ReplaceAllFunc(e.Body, func(m []byte) []byte {
			parts := sourceRecords.FindSubmatch(m)
			n, _ := strconv.Atoi(string(parts[2]))
			return []byte(string(parts[1]) + strconv.Itoa(n/200) + `"`)
		})
	}
}

// withTimeout declares an idle timeout in the scan's plan text.
func withTimeout(ms string) func([]flinkapi.Entry) {
	return replacing(isPlan, `, watermarkEmitStrategy=`, `, idletimeout=[`+ms+`], watermarkEmitStrategy=`)
}

var splitMetric = regexp.MustCompile(`\{"id":"[^"]*(?:\.split\.|\.topic\.)[^"]*"(?:,"value":"[^"]*")?\},?`)

// withoutSplits removes every metric of a split, as with a connector that registers none.
func withoutSplits(entries []flinkapi.Entry) {
	for i, e := range entries {
		if isVertex(e.Path) {
			body := splitMetric.ReplaceAll(e.Body, nil)
			entries[i].Body = bytes.ReplaceAll(body, []byte(",]"), []byte("]"))
		}
	}
}
