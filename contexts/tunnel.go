package contexts

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"

	"tidemark/internal/redact"
	"tidemark/internal/units"
	"tidemark/request"
)

// Command is a program and its arguments: a list, or one text that is split at spaces.
type Command []string

// UnmarshalYAML reads both forms. A text does not go through a shell, so shell syntax is refused.
func (c *Command) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode {
		return n.Decode((*[]string)(c))
	}
	if i := strings.IndexAny(n.Value, "\"'`$|&;<>\\"); i >= 0 {
		return fmt.Errorf("line %d: %q in a command means nothing without a shell: write it as a list, such as [kubectl, port-forward, svc/orders-rest, ':8081']", n.Line, n.Value[i])
	}
	*c = strings.Fields(n.Value)
	return nil
}

// String is the command on one line, secrets masked.
func (c Command) String() string { return redact.Text(strings.Join(c, " ")) }

const (
	connectTimeout = 30 * time.Second      // for the program to forward the port; it may have to log in first
	connectGrace   = 2 * time.Second       // between the request to end and the kill
	connectTry     = 50 * time.Millisecond // between two attempts to reach the forwarded port
	connectLines   = 3                     // number of lines of its output that are kept, the last ones
)

// Tunnel is the program of `connect`; it forwards a local port to the cluster.
type Tunnel struct {
	mu      sync.Mutex
	name    string
	process *exec.Cmd
	address string // host:port
	ended   chan struct{}
	output  *tunnelOutput
}

// Open starts the program, unless it is already running, and returns the local address that it forwards: that of -L in its
// arguments, else the first loopback address that it prints. Errors include its output.
func (t *Tunnel) Open(ctx context.Context, command Command) (address string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running() {
		return t.address, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, connectTimeout, fmt.Errorf("it forwarded no port within %s", units.Said(connectTimeout)))
	defer cancel()
	said := forwarded(command)
	if said != "" && answers(said) {
		return "", request.Badf("connect: %s is in use already; name another local port after -L", said)
	}
	t.process, t.address = nil, "" // those of a program that has ended
	t.name, t.ended, t.output = command[0], make(chan struct{}), &tunnelOutput{found: make(chan string, 1)}
	c := exec.Command(command[0], command[1:]...)
	c.Stdout, c.Stderr, c.WaitDelay = t.output, t.output, commandGrace
	ownGroup(c)
	if err := c.Start(); err != nil {
		return "", request.Badf("connect: %w", err)
	}
	t.process = c
	go func() {
		_ = c.Wait()
		endGroup(c, true) // its children
		close(t.ended)
	}()
	if t.address, err = t.await(ctx, said); err != nil {
		t.stop()
		return "", t.failed(err)
	}
	return t.address, nil
}

// running reports whether the program was started and has not ended.
func (t *Tunnel) running() bool {
	if t.process == nil {
		return false
	}
	select {
	case <-t.ended:
		return false
	default:
		return true
	}
}

// await waits until the program forwards.
func (t *Tunnel) await(ctx context.Context, said string) (string, error) {
	try := time.NewTicker(connectTry)
	defer try.Stop()
	for {
		select {
		case <-ctx.Done():
			return "", context.Cause(ctx)
		case <-t.ended:
			return "", fmt.Errorf("it ended (%s); it must stay in the foreground while tidemark runs", t.process.ProcessState)
		case printed := <-t.output.found:
			if said == "" {
				return printed, nil
			}
		case <-try.C:
			if said != "" && answers(said) {
				return said, nil
			}
		}
	}
}

func (t *Tunnel) failed(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	text := ""
	if last := t.output.last(); len(last) > 0 {
		text = ": " + strings.Join(last, "; ")
	}
	return request.Badf("connect: %s: %w%s", t.name, err, text)
}

// Last is the end of the program's output, each line after the program's name: it shows why a request through it fails. It
// is empty if the program was not started.
func (t *Tunnel) Last() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.address == "" {
		return nil
	}
	var out []string
	for _, line := range t.output.last() {
		out = append(out, t.name+": "+line)
	}
	return out
}

// Ended is the name of the program if it was started and no longer runs, else "".
func (t *Tunnel) Ended() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running() {
		return ""
	}
	return t.name
}

// Close ends the program and its children.
func (t *Tunnel) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stop()
}

func (t *Tunnel) stop() {
	if !t.running() {
		return
	}
	endGroup(t.process, false)
	select {
	case <-t.ended:
	case <-time.After(connectGrace):
		endGroup(t.process, true)
		<-t.ended
	}
}

var loopback = regexp.MustCompile(`(?:127\.0\.0\.1|localhost|\[::1\]):[1-9][0-9]*\b`)

// forwarding is [bind:]port:host:hostport, or [bind:]port:socket.
var forwarding = regexp.MustCompile(`^((?:\[[^\]]*\]|[^:\[/]*):)?([1-9][0-9]*):(?:(?:\[[^\]]*\]|[^:\[]+):[0-9]+|/.*)$`)

// forwarded is the local address of ssh's -L [bind:]port:host:hostport, "" if there is none.
func forwarded(command Command) string {
	for i, word := range command[1:] {
		spec, ok := strings.CutPrefix(word, "-L")
		if !ok {
			continue
		}
		if spec == "" && i+2 < len(command) {
			spec = command[i+2]
		}
		m := forwarding.FindStringSubmatch(spec)
		if m == nil {
			return ""
		}
		host := strings.Trim(strings.TrimSuffix(m[1], ":"), "[]")
		if host == "" || host == "*" || host == "0.0.0.0" {
			host = "127.0.0.1"
		}
		return net.JoinHostPort(host, m[2])
	}
	return ""
}

func answers(address string) bool {
	c, err := net.DialTimeout("tcp", address, time.Second)
	if err != nil {
		return false
	}
	_ = c.Close()
	return true
}

// tunnelOutput looks for an address in the output of a program, and keeps its last lines.
type tunnelOutput struct {
	mu    sync.Mutex
	found chan string
	part  []byte // of a line
	lines []string
}

func (o *tunnelOutput) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.part = append(o.part, p...)
	for {
		line, rest, ok := bytes.Cut(o.part, []byte("\n"))
		if !ok {
			o.part = o.part[max(0, len(o.part)-1<<16):]
			return len(p), nil
		}
		o.part = rest
		o.take(strings.TrimSpace(string(line)))
	}
}

// take reads a line. A line that announces a forwarded port is not an error message.
func (o *tunnelOutput) take(line string) {
	if address := loopback.FindString(line); address != "" && !strings.Contains(strings.ToLower(line), "error") {
		select {
		case o.found <- address:
		default:
		}
		return
	}
	if line != "" && !strings.HasPrefix(line, "Handling connection for ") { // printed by kubectl for each connection
		o.lines = append(o.lines, line)
		o.lines = o.lines[max(0, len(o.lines)-connectLines):]
	}
}

func (o *tunnelOutput) last() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if rest := strings.TrimSpace(string(o.part)); rest != "" {
		return append(append([]string(nil), o.lines...), rest)
	}
	return append([]string(nil), o.lines...)
}
