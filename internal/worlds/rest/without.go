package rest

import (
	"encoding/json"
	"strings"

	"tidemark/flinkapi"
)

// Without removes a metric from every answer of a recording, as if the cluster did not have it.
func Without(rec *flinkapi.Recording, name string) {
	for i := range rec.Entries {
		e := &rec.Entries[i]
		if !strings.Contains(e.Path, "/metrics") || !strings.Contains(string(e.Body), name) && !strings.Contains(e.Path, name) {
			continue
		}
		var all, kept []object
		if json.Unmarshal(e.Body, &all) != nil {
			continue
		}
		for _, m := range all {
			if id, _ := m["id"].(string); !strings.HasSuffix(id, name) {
				kept = append(kept, m)
			}
		}
		if kept == nil {
			kept = []object{}
		}
		e.Body, _ = json.Marshal(kept)
		if path, get, ok := strings.Cut(e.Path, "?get="); ok {
			var ids []string
			for _, id := range strings.Split(get, ",") {
				if !strings.HasSuffix(id, name) {
					ids = append(ids, id)
				}
			}
			e.Path = path + "?get=" + strings.Join(ids, ",")
		}
	}
}
