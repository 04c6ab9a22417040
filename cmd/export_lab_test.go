//go:build lab

package cmd

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tidemark/render/prom"
)

// TestPrometheusScrapesTheExporter starts a real Prometheus that has the rules of `tidemark alerts` and scrapes an
// exporter of recordings.
func TestPrometheusScrapesTheExporter(t *testing.T) {
	recordings := filepath.Join("..", "testdata", "recordings", "flink-2.3.0")
	c := tidemark(t, "export", "--listen", "127.0.0.1:0", "--interval", "1h", "--from", filepath.Join(recordings, "lab-idle-partition.jsonl.gz"), "--from", filepath.Join(recordings, "lab-healthy.jsonl.gz"))
	said, err := c.StderrPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	line, err := bufio.NewReader(said).ReadString('\n')
	at, err2 := url.Parse(strings.TrimSuffix(strings.TrimPrefix(line, "tidemark: metrics at "), "/metrics\n"))
	if err != nil || err2 != nil {
		t.Fatal(line, err, err2)
	}
	exporter := httputil.NewSingleHostReverseProxy(at)
	accepted := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case accepted <- r.Header.Get("Accept"):
		default:
		}
		exporter.ServeHTTP(w, r)
	}))
	defer server.Close()

	api := startPrometheus(t, strings.TrimPrefix(server.URL, "http://"))
	var lags map[string]string
	for deadline := time.Now().Add(time.Minute); len(lags) == 0; time.Sleep(500 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("Prometheus has no tidemark_event_time_lag_seconds after a minute")
		}
		lags = query(t, api, "tidemark_event_time_lag_seconds", "vertex")
	}
	t.Logf("Prometheus asks with Accept: %s", <-accepted)
	for _, c := range []struct{ expr, label, has, value string }{
		{`tidemark_up`, "job", "tidemark", "1"},
		{`up{job="tidemark"}`, "job", "tidemark", "1"},
		{`tidemark_captures_total`, "job", "tidemark", "1"},
		{`tidemark_finding{cause="idle-split"}`, "vertex", "Source: Orders", "1"},
		{`tidemark_job_verdict == 1 and tidemark_job_verdict{verdict="critical"}`, "job", "lab-idle-partition", "1"},
		{`tidemark_event_time_lag_seconds{vertex="Source: Orders"}`, "job", "lab-healthy", "2.841"},
		{`tidemark_event_time_state{state="none",vertex="Source: Orders"} == 1`, "job", "lab-idle-partition", "1"},
	} {
		if got := query(t, api, c.expr, c.label); len(got) != 1 || got[c.has] != c.value {
			t.Errorf("%s is %v, want %s for %s", c.expr, got, c.value, c.has)
		}
	}
	res, err := http.Get(api + "/api/v1/rules")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || !strings.Contains(string(body), "TidemarkEventTimeFrozen") || strings.Contains(string(body), `"health":"err"`) {
		t.Errorf("rules: %v\n%.2000s", err, body)
	}
}

// startPrometheus runs one on a free port until the test ends and returns its address.
func startPrometheus(t *testing.T, target string) string {
	t.Helper()
	binary, err := exec.LookPath("prometheus")
	if err != nil {
		t.Fatal("prometheus is not installed: apt-get install -y --no-install-recommends prometheus")
	}
	dir := t.TempDir()
	rules, err := os.Create(filepath.Join(dir, "rules.yml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := prom.Alerts(rules, prom.AlertRules, prom.DefaultAlertOptions()); err != nil {
		t.Fatal(err)
	}
	if err := rules.Close(); err != nil {
		t.Fatal(err)
	}
	config := fmt.Sprintf("global: {scrape_interval: 1s, evaluation_interval: 1s}\nrule_files: [rules.yml]\n"+
		"scrape_configs:\n- {job_name: tidemark, honor_labels: true, static_configs: [{targets: [%q]}]}\n", target)
	if err := os.WriteFile(filepath.Join(dir, "prometheus.yml"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := free.Addr().String()
	free.Close()
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(binary, "--config.file="+filepath.Join(dir, "prometheus.yml"), "--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address="+addr)
	c.Stdout, c.Stderr = log, log
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait() // killed, so always an error
		if text, err := os.ReadFile(log.Name()); t.Failed() && err == nil {
			t.Logf("%.4000s", text)
		}
		log.Close()
	})
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(200 * time.Millisecond) {
		res, err := http.Get("http://" + addr + "/-/ready")
		if err == nil {
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return "http://" + addr
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("Prometheus is not ready after a minute: %v", err)
		}
	}
}

// query gives the values of an instant query by one of their labels.
func query(t *testing.T, api, expr, label string) map[string]string {
	t.Helper()
	res, err := http.Get(api + "/api/v1/query?query=" + url.QueryEscape(expr))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var answer struct {
		Error string
		Data  struct {
			Result []struct {
				Metric map[string]string
				Value  [2]any
			}
		}
	}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil || answer.Error != "" {
		t.Fatalf("%s: %v %s", expr, err, answer.Error)
	}
	out := map[string]string{}
	for _, r := range answer.Data.Result {
		out[r.Metric[label]] = fmt.Sprint(r.Value[1])
	}
	return out
}
