package cmd

import (
	"errors"
	"strings"
	"testing"
	"time"

	"tidemark/analyze"
	"tidemark/internal/expect"
	"tidemark/render/screen"
)

func TestAReadingThatFailsIsSaidAndTheNextIsShown(t *testing.T) {
	f := newFake(nil)
	shown := 0
	take := f.follow(time.Nanosecond, func(*analyze.Report) error {
		if shown++; shown == 2 {
			return errors.New("pipe closed")
		}
		return nil
	})
	for _, now := range []screen.Reading{{Report: &analyze.Report{}}, {Err: errors.New("no leader")}} {
		if err := take(now); err != nil {
			t.Fatal(err)
		}
	}
	expect.Error(t, take(screen.Reading{Report: &analyze.Report{}}), "pipe closed")
	if got := f.err.String(); got != "tidemark: no leader; trying again in 1ns\n" {
		t.Errorf("said %q", got)
	}
}

func TestTheScreenIsClearedOnATerminalOnly(t *testing.T) {
	f := newFake(nil)
	f.clearScreen()
	if f.out.Len() != 0 {
		t.Error("escape sequences in a file")
	}
	f.IsTerminal = func(any) bool { return true }
	f.clearScreen()
	if !strings.HasPrefix(f.out.String(), "\x1b[H") || strings.Contains(f.out.String(), "[3J") {
		t.Errorf("got %q", f.out.String())
	}
}
