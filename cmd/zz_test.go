//go:build lab

package cmd_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

func TestZZ(t *testing.T) {
	lab := openLab(t)
	p := newProducer(t, lab.kafka())
	name := p.topic(t, "hand", 5, "CreateTime")
	r := rand.New(rand.NewPCG(1, 2))
	base := time.Now().Add(-time.Hour).UnixMilli()
	var ev []event
	for i := range int64(100_000) {
		ev = append(ev, event{int32(i % 4), base + i*4, base + i*4 - int64(200*math.Exp(1.2*r.NormFloat64()))})
	}
	p.write(t, name, ev...)
	fmt.Println("TOPIC", name)
	time.Sleep(1500 * time.Second)
}
