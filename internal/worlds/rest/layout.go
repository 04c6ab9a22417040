package rest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html"
	"strings"

	"tidemark/engine/twin/job"
)

// vertex is a task of the job graph: operators chained to each other.
type vertex struct {
	id, name    string
	description string // as in the plan, HTML-escaped (JsonPlanGenerator)
	ops         []int  // in pre-order, the head first
	parallelism int
	inputs      []edge
}

type edge struct {
	from int // vertex
	ship string
}

// layout chains the operators of a job and names its vertices.
func layout(j *job.Job) []vertex {
	var all []vertex
	of := make([]int, len(j.Operators))
	children := make([][]int, len(j.Operators))
	for i, op := range j.Operators {
		if op.Chained {
			parent := op.Inputs[0].From[0]
			children[parent] = append(children[parent], i)
			of[i] = of[parent]
			continue
		}
		of[i] = len(all)
		v := vertex{id: hash(j.Name, op.Name, i), parallelism: op.Parallelism}
		for _, in := range op.Inputs {
			for _, from := range in.From {
				v.inputs = append(v.inputs, edge{of[from], in.Ship.String()})
			}
		}
		v.ops = []int{i}
		all = append(all, v)
	}
	for k := range all {
		v := &all[k]
		t := tree{j, children}
		head := v.ops[0]
		v.ops = t.order(head, nil)
		v.name = t.chainName(head)
		v.description = strings.ReplaceAll(html.EscapeString(t.text(head, "", "")), "\n", "<br/>")
		v.description = strings.ReplaceAll(v.description, "&#39;", "'") // escapeHtml4 does not escape apostrophes
		v.description = strings.ReplaceAll(v.description, "&#34;", "&quot;")
	}
	return all
}

// VertexName is the name of the vertex in which an operator of a job runs.
func VertexName(j *job.Job, op int) string {
	for _, v := range layout(j) {
		for _, i := range v.ops {
			if i == op {
				return v.name
			}
		}
	}
	return ""
}

// tree writes a chain as StreamingJobGraphGenerator does.
type tree struct {
	j        *job.Job
	children [][]int
}

func (t tree) order(i int, into []int) []int {
	into = append(into, i)
	for _, c := range t.children[i] {
		into = t.order(c, into)
	}
	return into
}

func (t tree) chainName(i int) string {
	name := t.j.Operators[i].Name
	switch cs := t.children[i]; len(cs) {
	case 0:
		return name
	case 1:
		return name + " -> " + t.chainName(cs[0])
	default:
		var names []string
		for _, c := range cs {
			names = append(names, t.chainName(c))
		}
		return name + " -> (" + strings.Join(names, ", ") + ")"
	}
}

// text is the vertex description in TREE mode.
func (t tree) text(i int, first, rest string) string {
	op := t.j.Operators[i]
	line := op.Text
	if line == "" {
		line = op.Name
	}
	out := first + line + "\n"
	for k, c := range t.children[i] {
		if k == len(t.children[i])-1 {
			out += t.text(c, rest+"+- ", rest+"   ")
		} else {
			out += t.text(c, rest+":- ", rest+":  ")
		}
	}
	return out
}

// metricName is an operator's part of metric ids: cut to 80 characters, the four separators replaced
// (MetricQueryService, METRICS_OPERATOR_NAME_MAX_LENGTH).
func metricName(name string, keepsWriter bool) string {
	const most = 80
	if len(name) > most {
		cut := name[:most]
		for _, end := range []string{": Writer", ": Committer"} {
			if keepsWriter && strings.HasSuffix(name, end) {
				cut = name[:most-len(end)] + end
			}
		}
		name = cut
	}
	return masked.Replace(name)
}

var masked = strings.NewReplacer(" ", "_", ".", "_", ":", "_", ",", "_")

// hash is 32 hexadecimal digits that stay the same for the same parts.
func hash(parts ...any) string {
	sum := sha256.Sum256([]byte(fmt.Sprint(parts...)))
	return hex.EncodeToString(sum[:16])
}
