package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// fingerprints names every result so that the next run gives it the same name: by code, key and
// subject, never by a value, a line, a subtask or Flink's own ids. Twins are numbered in their order.
func fingerprints(results []Result) {
	seen := map[string]int{}
	for i := range results {
		r := &results[i]
		parts := []string{r.Code, r.Key, r.Subject.Kind, r.Subject.Name, vertexName(r.Subject), r.Subject.Operator, r.Subject.Split}
		name := strings.Join(parts, "\x00")
		seen[name]++
		if n := seen[name]; n > 1 {
			name += "\x00" + strconv.Itoa(n)
		}
		sum := sha256.Sum256([]byte(name))
		r.Fingerprint = hex.EncodeToString(sum[:16])
	}
}
