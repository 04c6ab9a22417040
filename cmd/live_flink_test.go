//go:build lab

package cmd_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"tidemark/kafkastats/advise"
)

// call speaks JSON with one of Flink's REST endpoints. It shares no code with tidemark: what is proved
// here must not rest on what is being proved.
func call(method, url string, body, into any) error {
	var in io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return err
		}
		in = bytes.NewReader(b)
	}
	req, err := http.NewRequest(method, url, in)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode/100 != 2 {
		why := string(text)
		if i := strings.LastIndex(why, "Caused by: "); i >= 0 {
			why, _, _ = strings.Cut(why[i:], `\n\t`)
		}
		return fmt.Errorf("%s %s: %s: %.4000s", method, url, res.Status, why)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(text, into)
}

// startClass runs a class of the lab's jar and gives the job's id.
func (l *liveLab) startClass(t *testing.T, class string, args ...string) string {
	t.Helper()
	var jars struct {
		Files []struct {
			ID       string `json:"id"`
			Name     string `json:"name"`
			Uploaded int64  `json:"uploaded"`
		} `json:"files"`
	}
	if err := call(http.MethodGet, l.rest+"/jars", nil, &jars); err != nil || len(jars.Files) == 0 {
		t.Fatalf("no job jar is uploaded: %v", err)
	}
	jar := slices.MaxFunc(jars.Files, func(a, b struct {
		ID       string `json:"id"`
		Name     string `json:"name"`
		Uploaded int64  `json:"uploaded"`
	}) int {
		return cmp.Compare(a.Uploaded, b.Uploaded)
	})
	var started struct {
		ID string `json:"jobid"`
	}
	if err := call(http.MethodPost, l.rest+"/jars/"+url.PathEscape(jar.ID)+"/run", map[string]any{"entryClass": class, "programArgsList": args}, &started); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.stop(started.ID) })
	return started.ID
}

func (l *liveLab) stop(job string) {
	_ = call(http.MethodPatch, l.rest+"/jobs/"+job+"?mode=cancel", nil, nil)
}

// vertices gives the ids of a job's vertices by name.
func (l *liveLab) vertices(job string) (map[string]string, error) {
	var d struct {
		State    string `json:"state"`
		Vertices []struct {
			ID   string `json:"id"`
			Name string `json:"name"`
		} `json:"vertices"`
	}
	if err := call(http.MethodGet, l.rest+"/jobs/"+job, nil, &d); err != nil {
		return nil, err
	}
	if d.State == "FAILED" || d.State == "CANCELED" {
		return nil, fmt.Errorf("job %s is %s", job, d.State)
	}
	out := map[string]string{}
	for _, v := range d.Vertices {
		out[v.Name] = v.ID
	}
	return out, nil
}

// sums adds up metrics of a vertex over its subtasks, all from one metric fetch. A metric is named by
// the end of its id, and a part of it behind a space: "numRecordsIn Window". ok is false while one is missing.
func (l *liveLab) sums(job, vertex string, names ...string) (sums []int64, ok bool) {
	base := l.rest + "/jobs/" + job + "/vertices/" + vertex + "/subtasks/metrics"
	var all []struct{ ID string }
	if err := call(http.MethodGet, base, nil, &all); err != nil {
		return nil, false
	}
	var ids []string
	for _, name := range names {
		end, part, _ := strings.Cut(name, " ")
		i := slices.IndexFunc(all, func(m struct{ ID string }) bool {
			return (m.ID == end || strings.HasSuffix(m.ID, "."+end)) && strings.Contains(m.ID, part)
		})
		if i < 0 {
			return nil, false
		}
		ids = append(ids, all[i].ID)
	}
	var values []struct {
		ID  string  `json:"id"`
		Sum float64 `json:"sum"`
	}
	if err := call(http.MethodGet, base+"?agg=sum&get="+url.QueryEscape(strings.Join(ids, ",")), nil, &values); err != nil || len(values) < len(slices.Compact(slices.Sorted(slices.Values(ids)))) {
		return nil, false
	}
	for _, id := range ids {
		for _, v := range values {
			if v.ID == id {
				sums = append(sums, int64(v.Sum))
			}
		}
	}
	return sums, len(sums) == len(names)
}

// session is one session of the SQL gateway.
type session struct{ url string }

func (l *liveLab) gateway() string { return l.setting("TIDEMARK_LAB_GATEWAY") }

// setting is what the environment, or else the lab itself, says about the lab.
func (l *liveLab) setting(name string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	for _, line := range strings.Split(l.run("env"), "\n") {
		if v, ok := strings.CutPrefix(line, name+"="); ok {
			return v
		}
	}
	l.t.Fatalf("the lab does not say %s", name)
	return ""
}

func (l *liveLab) session(t *testing.T) session {
	t.Helper()
	var opened struct {
		Handle string `json:"sessionHandle"`
	}
	if err := call(http.MethodPost, l.gateway()+"/v1/sessions", struct{}{}, &opened); err != nil {
		t.Fatal(err)
	}
	s := session{l.gateway() + "/v1/sessions/" + opened.Handle}
	t.Cleanup(func() { _ = call(http.MethodDelete, s.url, nil, nil) })
	return s
}

// exec runs a statement and gives its rows, and the id of the job it started.
func (s session) exec(statement string) (rows [][]any, job string, err error) {
	var op struct {
		Handle string `json:"operationHandle"`
	}
	if err := call(http.MethodPost, s.url+"/statements", map[string]string{"statement": statement}, &op); err != nil {
		return nil, "", err
	}
	for token := 0; ; {
		var page struct {
			Type    string `json:"resultType"`
			Job     string `json:"jobID"`
			Results struct {
				Data []struct{ Fields []any }
			} `json:"results"`
		}
		if err := call(http.MethodGet, fmt.Sprintf("%s/operations/%s/result/%d?rowFormat=JSON", s.url, op.Handle, token), nil, &page); err != nil {
			return nil, "", fmt.Errorf("%w\nin %.300s", err, statement)
		}
		for _, d := range page.Results.Data {
			rows = append(rows, d.Fields)
		}
		job = cmp.Or(page.Job, job)
		switch page.Type {
		case "EOS":
			return rows, job, nil
		case "PAYLOAD":
			token++
		default:
			time.Sleep(20 * time.Millisecond)
		}
	}
}

func (s session) must(t *testing.T, statements ...string) (job string) {
	t.Helper()
	for _, text := range statements {
		_, started, err := s.exec(text)
		if err != nil {
			t.Fatal(err)
		}
		job = cmp.Or(started, job)
	}
	return job
}

// recommend runs the command; a verdict other than fits makes it exit with 1.
func (l *liveLab) recommend(t *testing.T, args ...string) advise.Recommendation {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(l.binary, append([]string{"recommend", "-o", "json"}, args...)...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
		t.Fatalf("recommend: %v\n%s", err, stderr.String())
	}
	var r advise.Recommendation
	if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
		t.Fatalf("recommend did not print JSON: %v\n%.2000s\n%s", err, stdout.String(), stderr.String())
	}
	return r
}
