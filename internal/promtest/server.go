// Package promtest is a small Prometheus for tests: series in memory, the part of PromQL that is
// used, and the ways in which a server can fail.
package promtest

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Series is a time series, oldest sample first.
type Series struct {
	Labels map[string]string `json:"m"`
	T      []int64           `json:"t"` // epoch ms
	V      []string          `json:"v"`
}

// Server answers /api/v1/query and /api/v1/query_range.
type Server struct {
	Series []Series
	Stale  time.Duration // a series without a sample for this long has a staleness marker; 0 = none are written

	Status   int      // answer with this status, if not 0
	Body     string   // and this body
	Times    int      // for this many answers, 0 = always
	Warnings []string // in every answer
	WarnOf   string   // or only in answers to queries that contain this text
	Partial  bool     // set isPartial, as VictoriaMetrics does
	Token    string   // required bearer token
	Tenant   string   // required X-Scope-OrgID
	Prefix   string   // path prefix

	mu      sync.Mutex
	queries []string
	bytes   int64
	flying  int
	peak    int

	names   map[string][]*Series
	matched map[string][]*Series // by selector
}

// loaded are the files read so far.
var loaded sync.Map

// Load reads series from gzip JSON lines. The list belongs to the caller; labels and samples are shared.
func Load(t testing.TB, path string) []Series {
	t.Helper()
	all, ok := loaded.Load(path)
	if !ok {
		all, _ = loaded.LoadOrStore(path, read(t, path))
	}
	return slices.Clone(all.([]Series))
}

func read(t testing.TB, path string) []Series {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var all []Series
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var s Series
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		all = append(all, s)
	}
	if err := lines.Err(); err != nil || len(all) == 0 {
		t.Fatalf("%s: %d series, %v", path, len(all), err)
	}
	return all
}

// Queries are the expressions received so far.
func (s *Server) Queries() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.queries...)
}

// Bytes is the size of the answers so far.
func (s *Server) Bytes() int64 { s.mu.Lock(); defer s.mu.Unlock(); return s.bytes }

// Peak is how many queries ran at once.
func (s *Server) Peak() int { s.mu.Lock(); defer s.mu.Unlock(); return s.peak }

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.flying++
	s.peak = max(s.peak, s.flying)
	s.queries = append(s.queries, r.FormValue("query"))
	fail := s.Status != 0
	if fail && s.Times > 0 {
		if s.Times--; s.Times == 0 {
			defer func() { s.mu.Lock(); s.Status = 0; s.mu.Unlock() }()
		}
	}
	status, body := s.Status, s.Body
	s.mu.Unlock()
	defer func() { s.mu.Lock(); s.flying--; s.mu.Unlock() }()
	switch {
	case fail:
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	case s.Token != "" && r.Header.Get("Authorization") != "Bearer "+s.Token:
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, "Unauthorized")
	case s.Tenant != "" && r.Header.Get("X-Scope-OrgID") != s.Tenant:
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, "no org id")
	case r.URL.Path == s.Prefix+"/api/v1/query":
		s.answer(w, r, func(e expr) any { return s.instant(e, millis(r.FormValue("time"))) })
	case r.URL.Path == s.Prefix+"/api/v1/query_range":
		s.answer(w, r, func(e expr) any {
			step, _ := strconv.ParseFloat(r.FormValue("step"), 64)
			return s.ranged(e, millis(r.FormValue("start")), millis(r.FormValue("end")), int64(step*1000))
		})
	default:
		http.NotFound(w, r)
	}
}

func millis(seconds string) int64 {
	f, _ := strconv.ParseFloat(seconds, 64)
	return int64(f*1000 + 0.5)
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, eval func(expr) any) {
	e, err := parse(r.FormValue("query"))
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		json.NewEncoder(w).Encode(map[string]string{"status": "error", "errorType": "bad_data", "error": err.Error()})
		return
	}
	result := eval(e)
	if msg, refused := result.(string); refused {
		w.WriteHeader(http.StatusBadRequest)
		json.NewEncoder(w).Encode(map[string]string{"status": "error", "errorType": "bad_data", "error": msg})
		return
	}
	out := map[string]any{"status": "success", "data": result}
	if len(s.Warnings) > 0 && strings.Contains(r.FormValue("query"), s.WarnOf) {
		out["warnings"] = s.Warnings
	}
	if s.Partial {
		out["isPartial"] = true
	}
	body, _ := json.Marshal(out)
	s.mu.Lock()
	s.bytes += int64(len(body))
	s.mu.Unlock()
	w.Write(body)
}
