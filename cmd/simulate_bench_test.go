package cmd

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand"
	"os"
	"path/filepath"
	"testing"

	"tidemark/kafkastats/record"
)

// millionLines writes a million kcat -J lines of four partitions, about 190 bytes each.
func millionLines(b *testing.B) string {
	path := filepath.Join(b.TempDir(), "million.jsonl")
	var buf bytes.Buffer
	r := rand.New(rand.NewSource(7))
	at := int64(1_796_000_000_000)
	var offsets [4]int
	for i := range 1_000_000 {
		p := r.Intn(4)
		at += int64(r.Intn(9))
		fmt.Fprintf(&buf, `{"topic":"orders","partition":%d,"offset":%d,"tstype":"create","ts":%d,"broker":1,"key":"k%d","payload":"{\"id\":%d,\"ts\":%d,\"amount\":12.5}"}`+"\n",
			p, offsets[p], at, i%100, i, at-int64(r.ExpFloat64()*200))
		offsets[p]++
	}
	if err := os.WriteFile(path, buf.Bytes(), 0o600); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(buf.Len()))
	return path
}

// BenchmarkSimulateMillion is the whole command over a million records and four strategies. The
// reference reads the same lines and does nothing with them: what is left is the engine's share.
func BenchmarkSimulateMillion(b *testing.B) {
	path := millionLines(b)
	b.Run("four strategies", func(b *testing.B) {
		for b.Loop() {
			f := newFake(nil)
			f.Out = io.Discard
			c := newSimulate(f.globals)
			c.SetArgs([]string{"--records", path, "--field", "ts", "--window", "tumbling:10s", "--strategy", "a=500ms", "--strategy", "b=2s,dialect=sql",
				"--strategy", "c=5s,emit=on-event", "--strategy", "d=5s,idle-timeout=1m,parallelism=2"})
			if err := c.ExecuteContext(context.Background()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("reading alone", func(b *testing.B) {
		for b.Loop() {
			if err := (record.Kcat{Path: path}).Read(context.Background(), func(*record.Raw) error { return nil }); err != nil {
				b.Fatal(err)
			}
		}
	})
}
