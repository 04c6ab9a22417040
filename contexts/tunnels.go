package contexts

import (
	"context"
	"strings"
	"sync"
)

// Tunnels are the programs that `connect` of contexts starts, one for each command. The zero value has none.
type Tunnels struct {
	mu   sync.Mutex
	open map[string]*Tunnel
}

// Open starts the program of a command, unless it runs already, and returns the local address that it forwards.
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
	t.mu.Unlock() // several open side by side
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

// Last is what the programs wrote last, a line each after the name of its program: why requests through them fail.
func (t *Tunnels) Last() (lines []string) {
	for _, one := range t.all() {
		lines = append(lines, one.Last()...)
	}
	return lines
}

// Close ends the programs and all that they started.
func (t *Tunnels) Close() {
	for _, one := range t.all() {
		one.Close()
	}
}
