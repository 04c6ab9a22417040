package judge

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"

	"tidemark/internal/cases"
	"tidemark/internal/worlds/random"
)

// TIDEMARK_KIND="backlog" judges TIDEMARK_WORLDS worlds (100 without) of the kinds whose names begin with the
// text, and counts the outcomes; "all" takes every kind in turn. TIDEMARK_SEEDS="3 17" judges only these seeds.
func TestKind(t *testing.T) {
	name, asked := os.LookupEnv("TIDEMARK_KIND")
	if !asked {
		return
	}
	for _, k := range random.Kinds() {
		if name != "all" && !strings.HasPrefix(k, name) {
			continue
		}
		var n [3]int
		failed := map[string][]uint64{}
		for _, seed := range seedsAsked(t) {
			r, err := judged(random.Of(k, seed))
			if err != nil {
				t.Fatal(err)
			}
			n[r.Outcome]++
			switch {
			case r.Failure != "":
				failed[r.Failure] = append(failed[r.Failure], seed)
			case r.Outcome == Incomplete:
				failed["incomplete"] = append(failed["incomplete"], seed)
			}
			if os.Getenv("TIDEMARK_SEEDS") != "" {
				t.Log(describe(r))
				if dir := os.Getenv("TIDEMARK_WORLD_DIR"); dir != "" {
					write(t, r.World, filepath.Join(dir, fmt.Sprintf("world-%d.jsonl", seed)))
				}
			}
		}
		t.Logf("%-40s right %4d, incomplete %3d, wrong %3d", k, n[Right], n[Incomplete], n[Wrong])
		var why []string
		for w := range failed {
			why = append(why, w)
		}
		sort.Strings(why)
		for _, w := range why {
			t.Logf("    %4d %s %v", len(failed[w]), w, failed[w][:min(len(failed[w]), 6)])
		}
	}
}

func seedsAsked(t *testing.T) []uint64 {
	var seeds []uint64
	for _, text := range strings.Fields(os.Getenv("TIDEMARK_SEEDS")) {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("TIDEMARK_SEEDS: %v", err)
		}
		seeds = append(seeds, seed)
	}
	if seeds != nil {
		return seeds
	}
	for seed := range many(t) {
		seeds = append(seeds, seed)
	}
	return seeds
}

// Worlds that were judged wrongly once are judged right now, independent of the seeds in the tables.
func TestKindsOnceWrong(t *testing.T) {
	for name, seeds := range map[string][]uint64{
		"healthy, one split of":         {4, 6, 10},
		"healthy, a record a minute in": {20, 25},
		"CURRENT_WATERMARK":             {1, 2},
		"quiet, one input":              {2, 4, 10},
		"finished subtasks":             {0, 3},
		"parallelism declared":          {0, 8},
		"slow operator chained":         {13, 28, 31},
		"slow operator behind":          {0, 3, 16},
		"backlog":                       {4, 88},
		"backlog, splits":               {1, 75},
		"hot key":                       {6, 7, 51},
		"old data, pending":             {5, 46},
		"one sample":                    {20, 38, 59, 134, 137, 6038},
		"two faults":                    {15, 74, 172},
		"a gauge that is missing":       {72, 5011, 6038},
		"healthy, all quiet":            {7009},
		"late records":                  {5003, 5005},
		"quiet, one split earlier":      {5005},
		"mini-batch, a split":           {0, 1, 6},
		"records that went back":        {6, 21, 49, 224},
		"alignment that throttles":      {3, 11, 20},
	} {
		for _, seed := range cases.Some(seeds, 1) {
			r, err := judged(random.Of(name, seed))
			if err != nil {
				t.Fatal(err)
			}
			if r.Outcome == Wrong {
				t.Error(describe(r))
			}
		}
	}
}
