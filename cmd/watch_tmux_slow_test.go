//go:build slow

package cmd

import (
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"tidemark/flinkapi"
	"tidemark/internal/flinktest"
)

// terminal is a tmux server of its own with one window.
type terminal struct {
	t      *testing.T
	socket string
}

func (m terminal) tmux(args ...string) string {
	m.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", m.socket, "-f", "/dev/null"}, args...)...).CombinedOutput()
	if err != nil {
		m.t.Fatalf("tmux %v: %v: %s", args, err, out)
	}
	return string(out)
}

func (m terminal) screen() string { return m.tmux("capture-pane", "-p") }

// await waits until the screen holds every text.
func (m terminal) await(texts ...string) string {
	m.t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		got := m.screen()
		missing := ""
		for _, text := range texts {
			if !strings.Contains(got, text) {
				missing = text
			}
		}
		if missing == "" {
			return got
		}
		if time.Now().After(end) {
			m.t.Fatalf("%q never comes:\n%s", missing, got)
		}
	}
}

// recordedCluster serves recordings as a live cluster whose metrics are renewed each second.
func recordedCluster(t *testing.T, names ...string) *httptest.Server {
	t.Helper()
	var entries []flinkapi.Entry
	for _, n := range names {
		rec, err := flinkapi.OpenRecording("../testdata/recordings/flink-2.3.0/"+n+".jsonl.gz", nil)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, rec.Entries...)
	}
	srv := httptest.NewServer(flinktest.NewReplay(entries, flinktest.ReplayOptions{Interval: time.Second}))
	t.Cleanup(srv.Close)
	return srv
}

// watchInTerminal starts watch in a shell of a terminal that has lines to scroll back to.
func watchInTerminal(t *testing.T, url string, w, h int) terminal {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("needs tmux")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	m := terminal{t, filepath.Join(dir, "s")}
	script := filepath.Join(dir, "run")
	text := fmt.Sprintf("seq -f 'line %%g' 1 100\ncd %s\n%s=1 TIDEMARK_CONFIG= XDG_CONFIG_HOME=%s %s watch --flink %s --interval 1s\necho left with $?\nstty -a | tr ' ;' '\\n\\n' | grep -x -e '-*echo'\nexec sleep 600\n",
		dir, asTidemark, dir, self, url)
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	m.tmux("new-session", "-d", "-x", fmt.Sprint(w), "-y", fmt.Sprint(h), "sh "+script)
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", m.socket, "kill-server").Run() })
	return m
}

// restored checks that the screen before watch is back, with all that can be scrolled back to.
func (m terminal) restored(code int) {
	m.t.Helper()
	m.await(fmt.Sprintf("left with %d", code))
	all := m.tmux("capture-pane", "-p", "-S", "-")
	for _, n := range []int{1, 50, 100} {
		if got := strings.Count(all, fmt.Sprintf("line %d\n", n)); got != 1 {
			m.t.Errorf("line %d is there %d times:\n%s", n, got, all)
		}
	}
	if strings.Contains(all, "CRITICAL") || strings.Contains(all, "────") {
		m.t.Errorf("something of the view is left:\n%s", all)
	}
	if strings.Contains(m.await("echo"), "-echo") {
		m.t.Error("the terminal does not echo")
	}
}

func TestWatchInATerminal(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {132, 43}, {250, 70}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			srv := recordedCluster(t, "lab-idle-partition", "lab-healthy")
			m := watchInTerminal(t, srv.URL, size[0], size[1])
			m.await("2 jobs: 1 critical, 1 info", "lab-idle-partition", "q quit")
			m.tmux("send-keys", "Enter")
			m.await("lab-idle-partition: ", "X │ ", "holds", "esc back")
			m.tmux("send-keys", "e")
			m.await("TM102 idle-split")
			m.tmux("send-keys", "Escape")
			m.await("X │ ")
			m.tmux("resize-window", "-x", "90", "-y", "30")
			for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
				lines := strings.Split(strings.TrimRight(m.screen(), "\n"), "\n")
				if len(lines) == 30 && strings.Contains(lines[29], "esc back") && strings.Count(lines[2], "─") == 90 {
					break
				}
				if time.Now().After(end) {
					t.Fatalf("not drawn for the new size:\n%s", strings.Join(lines, "\n"))
				}
			}
			m.tmux("send-keys", "q")
			m.restored(0)
		})
	}
}

func TestWatchLeavesTheTerminalAsItWasWhenItIsEnded(t *testing.T) {
	srv := recordedCluster(t, "lab-idle-partition")
	t.Run("SIGTERM", func(t *testing.T) {
		m := watchInTerminal(t, srv.URL, 80, 24)
		m.await("q quit", "CRITICAL")
		parent := strings.TrimSpace(m.tmux("display-message", "-p", "#{pane_pid}"))
		out, err := exec.Command("pgrep", "-P", parent).Output()
		if err != nil {
			t.Fatal(err)
		}
		var pid int
		if _, err := fmt.Sscan(string(out), &pid); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		m.restored(exitInterrupted)
	})
	t.Run("ctrl-c", func(t *testing.T) {
		m := watchInTerminal(t, srv.URL, 80, 24)
		m.await("q quit", "CRITICAL")
		m.tmux("send-keys", "C-c")
		m.restored(exitInterrupted)
	})
	t.Run("lost connection", func(t *testing.T) {
		gone := recordedCluster(t, "lab-healthy")
		m := watchInTerminal(t, gone.URL, 80, 24)
		m.await("q quit", "INFO")
		gone.Close()
		m.await("No answer since")
		if got := m.tmux("capture-pane", "-p", "-e"); strings.Contains(got, "\x1b[36m") {
			t.Errorf("a verdict keeps its colour:\n%s", got)
		}
		m.tmux("send-keys", "q")
		m.restored(0)
	})
}
