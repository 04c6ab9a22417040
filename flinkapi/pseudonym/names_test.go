package pseudonym

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tidemark/internal/expect"
)

// A name that Flink shortens, as in a metric id, still begins like the full name; two words never become one; no word
// becomes one of Flink's.
func TestWordsStayApartAndBeginAlike(t *testing.T) {
	n := New()
	back := map[string]string{}
	rapid.Check(t, func(t *rapid.T) {
		w := rapid.StringMatching(`[a-zA-Z][a-zA-Z0-9]{7,20}`).Draw(t, "word")
		to := n.word(w)
		if own[w] != (to == w) || !own[w] && own[to] || len(to) != len(w) {
			t.Fatalf("%q becomes %q", w, to)
		}
		if before, ok := back[to]; ok && before != w {
			t.Fatalf("%q and %q become %q", before, w, to)
		}
		back[to] = w
		cut := w[:len(w)-1]
		if !own[w] && !own[cut] && !own[n.shift(w)] && !own[n.shift(cut)] && !strings.HasPrefix(to, n.word(cut)) {
			t.Fatalf("%q becomes %q, %q becomes %q", w, to, cut, n.word(cut))
		}
	})
}

func TestWhatIsFlinksStays(t *testing.T) {
	n := New()
	for _, s := range []string{
		"Source: KafkaSource-default_catalog.default_database.o -> Calc[9] -> LocalWindowAggregate[10]", "127.0.0.1", "10 s", "PT10S", "64mb",
		"org.apache.flink.connector.kafka.source.reader.KafkaPartitionSplitReader", "java.lang.OutOfMemoryError", "0a448493b4782967b150582570326227",
	} {
		if got := n.Text(s); got != s {
			t.Errorf("%q becomes %q", s, got)
		}
	}
	for _, s := range []string{"orders", "10.20.30.40", "ip-10-20-30-40", "com.example.OrderJob", "s3://bucket", "Bestellungen", "заказы"} {
		if got := n.Text(s); got == s || strings.Contains(got, "Order") {
			t.Errorf("%q becomes %q", s, got)
		}
	}
	if a, b := n.Text("orders-3"), n.Text("orders_3"); strings.ReplaceAll(a, "-", "_") != b || !strings.HasSuffix(b, "_3") {
		t.Errorf("%q and %q", a, b)
	}
}

func TestTheTableKeepsNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "names.tsv")
	n, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	to := n.Text("orders-eu 10.0.0.7")
	if err := n.Save(path); err != nil {
		t.Fatal(err)
	}
	again, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := again.Text("orders-eu 10.0.0.7"); got != to {
		t.Errorf("%q, then %q", to, got)
	}
	again.Text("clicks")
	if err := again.Save(path); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []string{"orders", "eu", "10.0.0.7", "clicks"} {
		if !strings.Contains(string(text), again.used[w]+"\t"+w+"\n") {
			t.Errorf("%q is not in\n%s", w, text)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
}

func TestTablesThatAreNone(t *testing.T) {
	for text, want := range map[string]string{
		"hello\n": "names.tsv:1: no name, a tab and another name", "seed\txyz\n": "names.tsv:1: the seed is not a hexadecimal number",
		"": "has no seed", "a\tb\n": "has no seed",
	} {
		_, err := Open(expect.File(t, "names.tsv", text))
		expect.Error(t, err, want)
	}
	_, err := Open(filepath.Join(t.TempDir(), "gone", "names.tsv"))
	expect.Error(t, err, "table of names cannot be written")
}
