package judge

import (
	"fmt"
	"runtime"
	"strings"
	"sync"

	"tidemark/internal/worlds/random"
)

// Counts are the numbers of worlds of a kind, by Outcome.
type Counts [3]int

// Worlds is the number of worlds.
func (c Counts) Worlds() int { return c[Right] + c[Incomplete] + c[Wrong] }

// WorseThan reports whether c, of the same worlds, has more wrong ones, or as many wrong and
// fewer right.
func (c Counts) WorseThan(d Counts) bool {
	return c[Wrong] > d[Wrong] || c[Wrong] == d[Wrong] && c[Right] < d[Right]
}

// Table is the outcome of worlds by kind.
type Table map[string]Counts

// Run judges the worlds of the seeds below n on every core and passes each result to each, one at
// a time and in no order.
func Run(n uint64, each func(Result)) error {
	var wg sync.WaitGroup
	var mu sync.Mutex
	var first error
	next := uint64(0)
	for range runtime.GOMAXPROCS(0) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				mu.Lock()
				seed := next
				next++
				stop := seed >= n || first != nil
				mu.Unlock()
				if stop {
					return
				}
				r, err := World(seed)
				mu.Lock()
				if err != nil {
					first = err
				} else {
					each(r)
				}
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
	return first
}

// Add counts a result.
func (t Table) Add(r Result) {
	c := t[r.World.Truth.Fault]
	c[r.Outcome]++
	t[r.World.Truth.Fault] = c
}

// Markdown is the table for a page: kinds in order, with a total.
func (t Table) Markdown() string {
	var b strings.Builder
	b.WriteString("| world | worlds | right | incomplete | wrong |\n|---|---:|---:|---:|---:|\n")
	row := func(name string, c Counts) {
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d |\n", name, c.Worlds(), c[Right], c[Incomplete], c[Wrong])
	}
	var all Counts
	for _, k := range random.Kinds() {
		c := t[k]
		if c.Worlds() == 0 {
			continue
		}
		row(k, c)
		for i := range all {
			all[i] += c[i]
		}
	}
	row("**all**", all)
	return b.String()
}

// ReadTable parses the output of Markdown.
func ReadTable(text string) (Table, error) {
	t := Table{}
	for _, line := range strings.Split(text, "\n") {
		cells := strings.Split(strings.Trim(line, "| "), "|")
		var c Counts
		var worlds int
		if len(cells) != 5 || strings.HasPrefix(line, "| **") {
			continue
		}
		if _, err := fmt.Sscan(strings.Join(cells[1:], " "), &worlds, &c[Right], &c[Incomplete], &c[Wrong]); err != nil {
			continue // the header
		}
		if c.Worlds() != worlds {
			return nil, fmt.Errorf("a row does not add up: %s", line)
		}
		t[strings.TrimSpace(cells[0])] = c
	}
	return t, nil
}
