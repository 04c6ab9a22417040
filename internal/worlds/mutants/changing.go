package mutants

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"tidemark/flinkapi"
)

// Back returns the original vertex name and subtask for those of a mutant's verdict.
type Back func(vertex string, subtask int) (string, int)

// Changing yields every mutant that differs only in what must not matter.
func (r *Recording) Changing(each func(m Mutant, back Back)) {
	same := func(vertex string, subtask int) (string, int) { return vertex, subtask }
	for _, ms := range []int64{86_400_000 * 37, -3_600_000 * 5, 1_800_000} {
		if r.millis() {
			each(Mutant{"another date", strconv.FormatInt(ms, 10) + " ms", func() []flinkapi.Entry { return r.shifted(ms) }}, same)
		}
	}
	each(Mutant{"another job id", "", func() []flinkapi.Entry { return r.renamed(jobOf(r.Entries), "feedc0de00000000feedc0de00000000") }}, same)
	for _, name := range r.operatorNames() {
		other := "Zq" + strconv.Itoa(len(name))
		each(Mutant{"another name", name, func() []flinkapi.Entry { return r.renamed(name, other) }},
			func(vertex string, subtask int) (string, int) {
				return strings.ReplaceAll(vertex, other, name), subtask
			})
	}
	each(Mutant{"subtasks 0 and 1 swapped", "", r.swapped}, func(vertex string, subtask int) (string, int) { return vertex, swap(vertex, subtask, r.alone()) })
	each(Mutant{"vertices in another order", "", r.reordered}, same)
	each(Mutant{"metrics in another order", "", func() []flinkapi.Entry {
		out := slices.Clone(r.Entries)
		for i, list := range r.lists {
			if list != nil {
				back := slices.Clone(list)
				slices.Reverse(back)
				out[i] = withList(out[i], back)
			}
		}
		return out
	}}, same)
}

// renamed replaces a text everywhere in answers and paths.
func (r *Recording) renamed(from, to string) []flinkapi.Entry {
	out := slices.Clone(r.Entries)
	for i := range out {
		out[i].Path = strings.ReplaceAll(out[i].Path, from, to)
		out[i].Body = json.RawMessage(strings.ReplaceAll(string(out[i].Body), from, to))
	}
	return out
}

// operatorNames are names given by users: of sources, and of operators of DataStream jobs whose
// plan line says what they are.
func (r *Recording) operatorNames() []string {
	seen := map[string]bool{}
	for _, e := range r.Entries {
		for _, m := range userName.FindAllStringSubmatch(string(e.Body), -1) {
			seen[m[1]] = true
		}
	}
	return sorted(seen)
}

// userName matches names that are not part of other text: long, with a capital first, none of
// Flink's own.
var userName = regexp.MustCompile(`"(?:name|description)":"(?:Source: )?(Orders|Payments|Refunds|Rules|Window10s|Reminders|SlowLookup|Normalize)\b`)

var epochMs = regexp.MustCompile(`\b1[789]\d{11}\b`)

// millis reports a recording whose event times are ms of recent years; in another unit, moving
// the date is not an addition.
func (r *Recording) millis() bool {
	for i, list := range r.lists {
		for _, m := range list {
			if valued(r.Entries[i]) && strings.HasSuffix(m.ID, "Watermark") && !strings.HasSuffix(m.Value, "775807") && !strings.HasSuffix(m.Value, "775808") && !epochMs.MatchString(m.Value) {
				return false
			}
		}
	}
	return true
}

func (r *Recording) shifted(by int64) []flinkapi.Entry {
	out := slices.Clone(r.Entries)
	for i := range out {
		out[i].T += by
		out[i].Body = epochMs.ReplaceAllFunc(out[i].Body, func(b []byte) []byte {
			n, _ := strconv.ParseInt(string(b), 10, 64)
			return strconv.AppendInt(nil, n+by, 10)
		})
	}
	return out
}

// reordered reads the vertices of each sample from the last to the first.
func (r *Recording) reordered() []flinkapi.Entry {
	var out, block []flinkapi.Entry
	flush := func() {
		for end := len(block); end > 0; {
			from := end - 1
			id, _ := block[from].Route()
			for from > 0 {
				if before, _ := block[from-1].Route(); before[3] != id[3] {
					break
				}
				from--
			}
			out = append(out, block[from:end]...)
			end = from
		}
		block = nil
	}
	for _, e := range r.Entries {
		if seg, _ := e.Route(); len(seg) > 3 && seg[2] == "vertices" {
			block = append(block, e)
			continue
		}
		flush()
		out = append(out, e)
	}
	flush()
	return out
}

var subtaskField = regexp.MustCompile(`"subtask": ?[01]\b`)

// alone are the names of vertices with one subtask, which cannot be swapped.
func (r *Recording) alone() map[string]bool {
	names := map[string]bool{}
	for _, e := range r.Entries {
		seg, _ := e.Route()
		if len(seg) != 2 || seg[0] != "jobs" {
			continue
		}
		var d flinkapi.JobDetails
		if json.Unmarshal(e.Body, &d) != nil {
			continue
		}
		for _, v := range d.Vertices {
			names[v.ID], names[v.Name] = v.Parallelism == 1, v.Parallelism == 1
		}
	}
	return names
}

func swap(vertex string, subtask int, alone map[string]bool) int {
	if subtask > 1 || alone[vertex] {
		return subtask
	}
	return 1 - subtask
}

// swapped exchanges subtasks 0 and 1 of every vertex that has both.
func (r *Recording) swapped() []flinkapi.Entry {
	alone := r.alone()
	out := slices.Clone(r.Entries)
	for i, e := range out {
		seg, query := e.Route()
		if len(seg) < 4 || seg[2] != "vertices" || alone[seg[3]] {
			continue
		}
		list := slices.Clone(r.lists[i])
		for k, m := range list {
			list[k].ID = swapID(m.ID)
		}
		if list != nil {
			out[i] = withList(e, list)
		}
		if query.Has("get") {
			path, get, _ := strings.Cut(out[i].Path, "?get=")
			ids := strings.Split(get, ",")
			for k := range ids {
				ids[k] = swapID(ids[k])
			}
			out[i].Path = path + "?get=" + strings.Join(ids, ",")
		}
		if list == nil {
			out[i].Body = subtaskField.ReplaceAllFunc(e.Body, func(b []byte) []byte {
				n := len(b) - 1
				return append(slices.Clone(b[:n]), '0'+'1'-b[n])
			})
		}
	}
	return out
}

func swapID(id string) string {
	switch {
	case strings.HasPrefix(id, "0."):
		return "1." + id[2:]
	case strings.HasPrefix(id, "1."):
		return "0." + id[2:]
	}
	return id
}
