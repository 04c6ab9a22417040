package rendertest

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
)

// measuring runs in a copy of a page: it reports how wide the page gets and which text is hidden.
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

// Browse opens every page as wide as a phone and as a desktop, in one run of the browser: nothing is wider than the
// window, folded or not, every text of a drawing is visible in its box, and no name is executed. TIDEMARK_PAGES is a
// directory for the pages.
func Browse(t *testing.T, pages map[string][]byte) {
	t.Helper()
	dir := t.TempDir()
	if keep := os.Getenv("TIDEMARK_PAGES"); keep != "" {
		dir = keep
	}
	var frames strings.Builder
	want := map[string]bool{}
	for name, text := range pages {
		page := string(text)
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
	dom, _ := Chromium(t, filepath.Join(dir, "index.html"), "--hide-scrollbars", "--virtual-time-budget=20000")
	for _, part := range strings.Split(dom, `<pre class="got">`)[1:] {
		body, _, _ := strings.Cut(part, "</pre>")
		lines := strings.Split(html.UnescapeString(body), "\n")
		key := lines[0]
		delete(want, key)
		folded, open, window, title := lines[1], lines[2], lines[3], lines[4]
		if folded != window || open != window {
			t.Errorf("%s: %s wide, %s unfolded, in a window of %s", key, folded, open, window)
		}
		if title == "taken" {
			t.Errorf("%s: a name was executed", key)
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

// Chromium opens a page in a real browser, where there is one. It returns the DOM and the log.
func Chromium(t *testing.T, page string, flags ...string) (dom, logged string) {
	t.Helper()
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no chromium on this machine")
	}
	flags = append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=" + t.TempDir(), "--dump-dom"}, flags...)
	c := exec.Command(browser, append(flags, "file://"+page)...)
	var out, said bytes.Buffer
	c.Stdout, c.Stderr = &out, &said
	c.WaitDelay = time.Second
	timer := time.AfterFunc(5*time.Minute, func() { _ = c.Process.Kill() })
	defer timer.Stop()
	if err := c.Run(); err != nil {
		t.Fatalf("%v: %s", err, said.String())
	}
	return out.String(), said.String()
}
