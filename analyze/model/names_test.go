package model_test

import (
	"strings"
	"testing"

	"tidemark/analyze/model"
	"tidemark/internal/jobtest"
)

// A long name is cut in text, and whole where something is looked up by it.
func TestSourceNameIsWhole(t *testing.T) {
	long := strings.Repeat("orders of the shop, ", 3) + "by day" // Flink itself cuts above 80 characters
	v := jobtest.New("2.0.1").Source(long, 2000).Build().Sources()[0]
	if got := model.SourceName(v); got != long {
		t.Errorf("name %q", got)
	}
	if got := model.SourceLabel(v); len([]rune(got)) != 62 || !strings.Contains(got, "…") {
		t.Errorf("label %q", got)
	}
}
