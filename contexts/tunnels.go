package contexts

import (
	"context"
	"strings"
	"sync"
)

// Tunnels are the programs of `connect`, one per command. The zero value has none.
type Tunnels struct {
	mu   sync.Mutex
	open map[string]*Tunnel
}

// Open starts the program of a command, unless it is already running, and returns the local
// address that it forwards.
func (t *Tunnels) Open(ctx context.Context, command Command) (address string, err error) {
	t.mu.Lock()
	key := strings.Join(command, "\x00")
	one := t.open[key]
	if one == nil {
		if t.open == nil {
			t.open = map[string]*Tunnel{}
		}
		one = &Tunnel{}
		t.open[key] = one
	}
	t.mu.Unlock() // others may open at the same time
	return one.Open(ctx, command)
}

func (t *Tunnels) all() (list []*Tunnel) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, one := range t.open {
		list = append(list, one)
	}
	return list
}

// Ended names a program that was started and no longer runs, "" if there is none. Opening what it is for starts it
// again.
func (t *Tunnels) Ended() string {
	for _, one := range t.all() {
		if name := one.Ended(); name != "" {
			return name
		}
	}
	return ""
}

// Last is the last output of the programs, each line after the program's name: it tells why
// requests through them fail.
func (t *Tunnels) Last() (lines []string) {
	for _, one := range t.all() {
		lines = append(lines, one.Last()...)
	}
	return lines
}

// Close ends the programs and their children.
func (t *Tunnels) Close() {
	for _, one := range t.all() {
		one.Close()
	}
}
