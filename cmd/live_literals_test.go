//go:build lab

package cmd_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tidemark/internal/units"
	"tidemark/kafkastats/measure"
)

const week = 7 * 24 * 3_600_000

// everyDelay is every delay that recommend can round to, up to a week, and some it cannot.
func everyDelay() []int64 {
	var out []int64
	for ms := int64(1); ms <= week; ms = measure.RoundUp(ms + 1) {
		out = append(out, ms)
	}
	r := rand.New(rand.NewPCG(1, 9))
	for range 60 {
		out = append(out, 1+r.Int64N(week))
	}
	return append(out, week, 99_000, 99_001, 99_999, 100_000, 999_999, 1_000_000, 3_599_999, 86_399_999, 86_400_000, 99*86_400_000, 100*86_400_000, 31_535_994_999, 999*86_400_000+86_399_999)
}

var readBack = regexp.MustCompile(`watermark=\[-\(ts, (\d+):INTERVAL[^\n]*\n[^\n]*TableSourceScan\(table=\[\[default_catalog, default_database, t(\d+)\]\]`)

// TestEveryIntervalIsFlinks declares a table with every WATERMARK clause that can be emitted and reads the
// milliseconds back from the plan: Flink takes some literals in the table and refuses them in the query.
func TestEveryIntervalIsFlinks(t *testing.T) {
	lab := openLab(t)
	s := lab.session(t)
	delays := everyDelay()
	for i, ms := range delays {
		s.must(t, fmt.Sprintf("CREATE TEMPORARY TABLE t%d (ts TIMESTAMP_LTZ(3), %s) WITH ('connector'='datagen')", i, units.Watermark("ts", ms)))
	}
	back := map[int]int64{}
	for _, part := range slices.Collect(slices.Chunk(indexes(len(delays)), 100)) {
		var selects []string
		for _, i := range part {
			selects = append(selects, fmt.Sprintf("SELECT * FROM t%d", i))
		}
		rows, _, err := s.exec("EXPLAIN " + strings.Join(selects, " UNION ALL "))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range readBack.FindAllStringSubmatch(fmt.Sprint(rows), -1) {
			i, _ := strconv.Atoi(m[2])
			back[i], _ = strconv.ParseInt(m[1], 10, 64)
		}
	}
	for i, ms := range delays {
		if back[i] != ms {
			t.Errorf("%d ms: %s is %d ms to Flink", ms, units.Interval(ms), back[i])
		}
	}
	t.Logf("%d literals from %s to %s read back", len(back), units.Interval(delays[0]), units.Interval(slices.Max(delays)))
}

func indexes(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// TestEmittedCodeIsFlinks pastes what recommend prints: the clause and the option into a table over the topic
// it measured, the strategy into a class.
func TestEmittedCodeIsFlinks(t *testing.T) {
	lab := openLab(t)
	kafka := lab.kafka()
	p := newProducer(t, kafka)
	topic := p.topic(t, "paste", 1, "CreateTime")
	var events []event
	for i := range int64(5000) {
		events = append(events, event{0, 1_700_000_000_000 + i*100, 1_700_000_000_000 + i*100 - i%7*2170})
	}
	p.write(t, topic, events...)
	column := "odd `name`"
	r := lab.recommend(t, topic, "--brokers", kafka, "--field", "ms", "--unit", "ms", "--column", column, "--idle-timeout", "1m")
	if r.Advice.RoundedSQLMs < 1000 || r.Advice.IdleTimeoutMs == 0 {
		t.Fatalf("SQL delay %d, idle timeout %d: nothing to paste", r.Advice.RoundedSQLMs, r.Advice.IdleTimeoutMs)
	}
	clause, option, _ := strings.Cut(r.Code.SQL, "\n-- WITH (")
	option = strings.TrimSuffix(option, ")")
	s := lab.session(t)
	s.must(t, fmt.Sprintf("CREATE TEMPORARY TABLE o (ms BIGINT, `odd ``name``` AS TO_TIMESTAMP_LTZ(ms, 3), %s) WITH ('connector'='kafka', 'topic'='%s', "+
		"'properties.bootstrap.servers'='%s', 'scan.startup.mode'='earliest-offset', 'format'='json', %s)", clause, topic, kafka, option))
	rows, _, err := s.exec("EXPLAIN SELECT * FROM o")
	if err != nil {
		t.Fatal(err)
	}
	plan := fmt.Sprint(rows)
	for _, want := range []string{fmt.Sprintf("%d:INTERVAL", r.Advice.RoundedSQLMs), fmt.Sprintf("idletimeout=[%d]", r.Advice.IdleTimeoutMs)} {
		if !strings.Contains(strings.ToLower(plan), strings.ToLower(want)) {
			t.Errorf("no %s in the plan of\n%s\n%s", want, r.Code.SQL, plan)
		}
	}

	var body strings.Builder
	fmt.Fprintf(&body, "  static <T> WatermarkStrategy<T> emitted() {\n    return %s;\n  }\n  public static void main(String[] a) {\n    Duration[] all = {", r.Code.DataStream)
	delays := everyDelay()
	for _, ms := range delays {
		body.WriteString(units.Java(ms) + ", ")
	}
	body.WriteString("};\n    for (Duration d : all) System.out.println(d.toMillis());\n    emitted();\n  }\n")
	dir := t.TempDir()
	source := "import java.time.Duration;\nimport org.apache.flink.api.common.eventtime.WatermarkStrategy;\nclass Emitted {\n" + body.String() + "}\n"
	if err := os.WriteFile(filepath.Join(dir, "Emitted.java"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	classes := filepath.Join(lab.setting("TIDEMARK_LAB_LIB"), "*")
	if out, err := exec.Command("javac", "-d", dir, "-cp", classes, filepath.Join(dir, "Emitted.java")).CombinedOutput(); err != nil {
		t.Fatalf("the code does not compile: %v\n%s\n%s", err, out, r.Code.DataStream)
	}
	out, err := exec.Command("java", "-cp", dir+":"+classes, "Emitted").Output()
	if err != nil {
		t.Fatal(err)
	}
	printed := strings.Fields(string(out))
	for i, ms := range delays {
		if i >= len(printed) || printed[i] != strconv.FormatInt(ms, 10) {
			t.Fatalf("Java reads %s as another delay", units.Java(ms))
		}
	}
}
