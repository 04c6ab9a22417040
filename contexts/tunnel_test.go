//go:build unix

package contexts

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"

	"tidemark/internal/expect"
)

// standIn makes the test binary act as the program: it listens at the address in this variable, prints it, and stays.
const standIn = "TIDEMARK_TEST_FORWARDS"

func TestMain(m *testing.M) {
	at := os.Getenv(standIn)
	if at == "" {
		os.Exit(m.Run())
	}
	l, err := net.Listen("tcp", at)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Fprintln(os.Stderr, "Warning: something harmless")
	fmt.Printf("Forwarding from %s -> 8081\n", l.Addr())
	for {
		if c, err := l.Accept(); err == nil {
			_ = c.Close()
		}
	}
}

func self(t *testing.T) string {
	t.Helper()
	name, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// freePort is an address of this machine that nothing listens at.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// The address is the one that kubectl prints; Close also ends the children of a shell.
func TestTheTunnelIsWhereItsProgramSays(t *testing.T) {
	t.Setenv(standIn, "127.0.0.1:0")
	var tunnel Tunnel
	command := Command{"sh", "-c", `"$0" & wait`, self(t)}
	at, err := tunnel.Open(context.Background(), command)
	if err != nil || !answers(at) {
		t.Fatalf("%q: %v", at, err)
	}
	if again, err := tunnel.Open(context.Background(), command); err != nil || again != at {
		t.Errorf("a second client goes to %q (%v), not %q", again, err, at)
	}
	if got := tunnel.Last(); len(got) != 1 || got[0] != "sh: Warning: something harmless" {
		t.Errorf("the last output is %q", got)
	}
	tunnel.Close()
	if answers(at) {
		t.Error("the program still runs")
	}
	tunnel.Close()
	if at, err = tunnel.Open(context.Background(), command); err != nil || !answers(at) {
		t.Errorf("the program is not restarted: %q, %v", at, err)
	}
	tunnel.Close()
}

// A program that no longer exists when it is restarted is an error each time, without a wait.
func TestATunnelThatCannotBeStartedAnew(t *testing.T) {
	t.Setenv(standIn, "127.0.0.1:0")
	var tunnel Tunnel
	if _, err := tunnel.Open(context.Background(), Command{self(t)}); err != nil {
		t.Fatal(err)
	}
	tunnel.Close()
	for range 2 {
		_, err := tunnel.Open(context.Background(), Command{"no-such-program"})
		expect.Error(t, err, "executable file not found")
	}
	tunnel.Close()
}

// ssh prints nothing: the address is in its arguments, and must not be in use.
func TestTheTunnelOfSSHIsWhereItsArgumentsSay(t *testing.T) {
	at := freePort(t)
	port := at[strings.LastIndex(at, ":")+1:]
	t.Setenv(standIn, at)
	var tunnel Tunnel
	defer tunnel.Close()
	got, err := tunnel.Open(context.Background(), Command{self(t), "-N", "-L", port + ":jobmanager:8081", "bastion"})
	if err != nil || got != at || !answers(at) {
		t.Fatalf("%q, want %q: %v", got, at, err)
	}
	var second Tunnel
	_, err = second.Open(context.Background(), Command{self(t), "-L" + port + ":jobmanager:8081", "bastion"})
	expect.Error(t, err, at+" is in use already")
}

func TestWhyThereIsNoTunnel(t *testing.T) {
	for name, c := range map[string]struct {
		command Command
		want    string
	}{
		"it fails":   {Command{"sh", "-c", `echo 'error: services "orders-rest" not found' >&2; exit 1`}, `connect: sh: it ended (exit status 1); it must stay in the foreground while tidemark runs: error: services "orders-rest" not found`},
		"it is gone": {Command{"no-such-program"}, `connect: exec: "no-such-program": executable file not found in $PATH`},
		"it leaves":  {Command{"true"}, "connect: true: it ended (exit status 0)"},
	} {
		t.Run(name, func(t *testing.T) {
			var tunnel Tunnel
			for range 2 { // asked again, it fails again
				_, err := tunnel.Open(context.Background(), c.command)
				expect.Error(t, err, c.want)
			}
		})
	}
	t.Run("it is interrupted", func(t *testing.T) {
		ctx, stop := context.WithCancel(context.Background())
		stop()
		var tunnel Tunnel
		if _, err := tunnel.Open(ctx, Command{"sleep", "600"}); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	})
}

func TestForwarded(t *testing.T) {
	for spec, want := range map[string]string{
		"8081:jobmanager:8081": "127.0.0.1:8081", "127.0.0.2:18081:10.0.0.1:8081": "127.0.0.2:18081", "[::1]:18081:[fe80::1]:8081": "[::1]:18081",
		"*:18081:jobmanager:8081": "127.0.0.1:18081", "localhost:18081:jobmanager:8081": "localhost:18081", "18081:/run/flink.sock": "127.0.0.1:18081",
		"0:jobmanager:8081": "", "jobmanager:8081": "", "/a:/b": "",
	} {
		for _, c := range []Command{{"ssh", "-L", spec, "h"}, {"ssh", "-N", "-L" + spec, "h"}} {
			if got := forwarded(c); got != want {
				t.Errorf("%v: %q, want %q", c, got, want)
			}
		}
	}
	if got := forwarded(Command{"kubectl", "port-forward", "svc/x", ":8081"}); got != "" {
		t.Errorf("kubectl: %q", got)
	}
}

// With `connect`, `flink` gives only scheme and path; an address from a flag does not start the program.
func TestAContextConnects(t *testing.T) {
	t.Setenv(standIn, "127.0.0.1:0")
	file := expect.File(t, "c.yaml", fmt.Sprintf("current-context: a\ncontexts:\n  a:\n    connect: %s\n  b:\n    flink: https://orders/proxy\n    connect: [%s, other]\n  c: {connect: x, proxy: 'http://p'}\n", self(t), self(t)))
	access := func(flags Flags) Access {
		a := Access{Flags: flags, Tunnels: &Tunnels{}, Getenv: func(k string) string { return map[string]string{"TIDEMARK_CONFIG": file}[k] }}
		t.Cleanup(a.Tunnels.Close)
		return a
	}
	for name, c := range map[string]struct {
		flags      Flags
		head, tail string
	}{
		"nothing else":        {Flags{}, "http://127.0.0.1:", ""},
		"a scheme and a path": {Flags{Context: "b"}, "https://127.0.0.1:", "/proxy"},
		"a flag":              {Flags{Flink: "http://elsewhere", Context: "a"}, "http://elsewhere", ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := access(c.flags)
			o, err := a.Cluster(context.Background())
			if err != nil || !strings.HasPrefix(o.URL, c.head) || !strings.HasSuffix(o.URL, c.tail) {
				t.Errorf("%q: %v", o.URL, err)
			}
			if n := len(a.Tunnels.all()); (n == 1) != (c.flags.Flink == "") {
				t.Errorf("%d are started", n)
			}
			if c.flags.Flink != "" {
				return
			}
			second, err := a.Cluster(context.Background())
			if err != nil || second.URL != o.URL {
				t.Errorf("a second client goes to %q (%v), not %q", second.URL, err, o.URL)
			}
			a.Context = map[string]string{"": "b", "b": "a"}[c.flags.Context]
			if other, err := a.Cluster(context.Background()); err != nil || strings.TrimSuffix(other.URL[5:], "/proxy") == strings.TrimSuffix(o.URL[5:], "/proxy") {
				t.Errorf("another context goes to %q (%v) as well", other.URL, err)
			}
		})
	}
	_, err := access(Flags{Context: "c"}).Cluster(context.Background())
	expect.Error(t, err, "and a proxy")
}
