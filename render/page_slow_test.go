//go:build slow

package render

import (
	"bytes"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
)

// The pages that a browser looks at: a real shape each, and the sizes that break layouts.
func pages() map[string]*analyze.Report {
	one := richReport()
	one.Jobs = one.Jobs[:1]
	return map[string]*analyze.Report{
		"one": one, "several": richReport(), "names": hostileReport("<script>document.title='taken'</script>"), "long": hostileReport(strings.Repeat("a long name ", 40)),
		"unbroken": hostileReport(strings.Repeat("x", 300)), "hundred": largeReport(100), "many": manyJobs(31),
	}
}

// largeReport is a job of n vertices: chains behind sources that meet in a join, whose window waits for a
// silent partition.
func largeReport(n int) *analyze.Report {
	r := richReport()
	j := r.Jobs[0]
	source := j.Vertices[3]
	source.Use = "no"
	source.Holder = &analyze.Holder{Place: model.Place{Vertex: &model.Ref{ID: source.ID, Name: source.Name}, Split: "orders-3"}, Code: "TM102"}
	for i := range 60 {
		source.Subtasks[0].Splits = append(source.Subtasks[0].Splits, analyze.SplitReport{ID: fmt.Sprintf("orders-%d", i+4), Watermark: known(int64(2000 + i))})
	}
	j.Vertices, j.Findings = []analyze.VertexReport{source}, j.Findings[:1]
	held := *source.Holder
	add := func(name string, holder *analyze.Holder, use string, from ...string) string {
		v := analyze.VertexReport{ID: name, Name: name, Kind: "operator", Parallelism: 4, Inputs: from, Use: use, Holder: holder, Moving: ptr(holder == nil), Min: flinkapi.NoWatermark()}
		if holder == nil {
			v.Min, v.LagMs = known(3000), ptr(int64(3000))
		}
		j.Vertices = append(j.Vertices, v)
		return name
	}
	var ends []string
	for c := 0; len(j.Vertices) < n-20; c++ {
		at := add(fmt.Sprintf("Source: input-%d", c), nil, "no")
		for k := range 5 {
			at = add(fmt.Sprintf("Step %d of input %d: parse, filter and enrich", k, c), nil, "no", at)
		}
		ends = append(ends, at)
	}
	at := source.ID
	for k := range 5 {
		at = add(fmt.Sprintf("Order step %d", k), &held, "no", at)
	}
	at = add("Join all", &held, "no", append(ends, at)...)
	at = add("Window10s", &held, "yes", at)
	for len(j.Vertices) < n {
		add(fmt.Sprintf("Sink: table-%d", len(j.Vertices)), &held, "no", at)
	}
	r.Jobs = []analyze.JobReport{j}
	return r
}

func manyJobs(n int) *analyze.Report {
	r := richReport()
	for i := len(r.Jobs); i < n; i++ {
		j := r.Jobs[i%4]
		j.Name, j.ID = fmt.Sprintf("%s-%d", j.Name, i), fmt.Sprintf("%032x", i)
		r.Jobs = append(r.Jobs, j)
	}
	return r
}

// measuring is run in a copy of a page: it says how wide the page gets and which text is not to be seen.
const measuring = `addEventListener('load', () => {
  const bad = [], wide = document.documentElement.scrollWidth;
  for (const d of document.querySelectorAll('details')) d.open = true;
  for (const el of document.querySelectorAll('svg text')) {
    const svg = el.ownerSVGElement; if (!svg || svg.getBoundingClientRect().width === 0) continue;
    const r = el.getBoundingClientRect(), s = svg.getBoundingClientRect();
    if (el.textContent === '') continue;
    if (r.width < 2 || r.height < 6) bad.push('too small: ' + el.textContent);
    if (r.left < s.left - 1 || r.right > s.right + 1) bad.push('leaves the picture: ' + el.textContent);
  }
  for (const box of document.querySelectorAll('rect.nb')) {
    const b = box.getBoundingClientRect(); if (b.width === 0) continue;
    for (let t = box.nextElementSibling; t && t.tagName === 'text'; t = t.nextElementSibling) {
      const r = t.getBoundingClientRect();
      if (r.left < b.left - 1 || r.right > b.right + 2) bad.push('leaves its box: ' + t.textContent);
    }
  }
  const thin = [...document.querySelectorAll('td,p,h1,h3,li,dd,summary')].filter(e => e.textContent.length > 12 && e.getBoundingClientRect().width > 0 && e.getBoundingClientRect().width < 60);
  for (const e of thin) bad.push('a letter a line: ' + e.textContent.slice(0, 40));
  const out = document.createElement('pre'); out.id = 'measured';
  out.textContent = [wide, document.documentElement.scrollWidth, innerWidth, document.title, document.documentElement.scrollHeight].concat(bad.slice(0, 8)).join('\n');
  document.body.appendChild(out);
  parent.postMessage([name, out.textContent], '*');
})`

// TestPagesInABrowser opens every page as wide as a desktop and as a phone, in one run of the browser: nothing
// is wider than the window, every text of a graph stands in its box, and no name acts.
func TestPagesInABrowser(t *testing.T) {
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no chromium on this machine")
	}
	dir := t.TempDir()
	if keep := os.Getenv("TIDEMARK_PAGES"); keep != "" {
		dir = keep
	}
	var frames strings.Builder
	want := map[string]bool{}
	for name, r := range pages() {
		page := string(rendered(t, HTML, r, Options{}))
		if strings.Contains(page, "<script") || !strings.Contains(page, "default-src 'none'") {
			t.Fatalf("%s: a page with a script, or without its policy", name)
		}
		if err := os.WriteFile(filepath.Join(dir, name+".html"), []byte(page), 0o600); err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(page, "Content-Security-Policy")
		page = strings.Replace(page, "Content-Security-Policy", "off", 1)
		if rest == "" {
			t.Fatal("no policy")
		}
		page = strings.Replace(page, "</head>", "<script>"+measuring+"</script></head>", 1)
		if err := os.WriteFile(filepath.Join(dir, name+".measured.html"), []byte(page), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, width := range []int{390, 1280} {
			key := fmt.Sprintf("%s-%d", name, width)
			want[key] = true
			fmt.Fprintf(&frames, `<iframe name=%q src="%s.measured.html" style="width:%dpx;height:900px;border:0"></iframe>`, key, name, width)
		}
	}
	index := `<!doctype html><body><script>addEventListener('message', e => { const p = document.createElement('pre'); p.className='got'; p.textContent = e.data.join('\n'); document.body.appendChild(p) })</script>` + frames.String()
	if err := os.WriteFile(filepath.Join(dir, "index.html"), []byte(index), 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(browser, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(), "--hide-scrollbars", "--virtual-time-budget=20000", "--dump-dom", "file://"+filepath.Join(dir, "index.html"))
	var out, logged bytes.Buffer
	c.Stdout, c.Stderr = &out, &logged
	c.WaitDelay = time.Second
	timer := time.AfterFunc(5*time.Minute, func() { _ = c.Process.Kill() })
	defer timer.Stop()
	if err := c.Run(); err != nil {
		t.Fatalf("%v: %s", err, logged.String())
	}
	for _, part := range strings.Split(out.String(), `<pre class="got">`)[1:] {
		body, _, _ := strings.Cut(part, "</pre>")
		lines := strings.Split(html.UnescapeString(body), "\n")
		key := lines[0]
		delete(want, key)
		folded, open, window, title := lines[1], lines[2], lines[3], lines[4]
		if folded != window || open != window {
			t.Errorf("%s: %s wide, %s unfolded, in a window of %s", key, folded, open, window)
		}
		if title == "taken" {
			t.Errorf("%s: a name acted", key)
		}
		for _, bad := range lines[6:] {
			t.Errorf("%s: %s", key, bad)
		}
		t.Logf("%s: %s px high unfolded", key, lines[5])
	}
	for key := range want {
		t.Errorf("%s was not measured", key)
	}
}

// Whatever the size, the graph shows each vertex or a box that stands for it.
func TestGraphStandsForEveryVertex(t *testing.T) {
	for _, n := range []int{40, 100, 300} {
		r := largeReport(n)
		g := newDrawing(&r.Jobs[0], fixtureNow)
		g.collapse()
		count := 0
		for _, b := range g.boxes {
			count += len(b.vertices)
		}
		if count != n || len(g.boxes) > 20 {
			t.Errorf("%d vertices: %d in %d boxes", n, count, len(g.boxes))
		}
	}
	_ = catalog.Critical
}
