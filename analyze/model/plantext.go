package model

import (
	"html"
	"regexp"
	"strconv"
	"strings"
)

// PlanOperator is one operator of a vertex description.
type PlanOperator struct {
	ID     int // SQL node id, 0 where there is none
	Text   string
	Parent int // index of the operator that feeds it, -1 for the head
}

// UnescapeDescription undoes JsonPlanGenerator (1.17 to 2.3): escapeHtml4, then newline to <br/>,
// then backslash to &#92;. <br/> goes first, or a text that contains it would be split.
func UnescapeDescription(s string) string {
	return html.UnescapeString(strings.ReplaceAll(s, "<br/>", "\n"))
}

// ParseDescription parses a vertex description in both forms of pipeline.vertex-description-mode: TREE, one line per
// operator, and CASCADING, "a -> ( b , c )".
func ParseDescription(escaped string) []PlanOperator {
	text := strings.TrimRight(UnescapeDescription(escaped), "\n ")
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	if len(lines) == 1 {
		return parseCascade(lines[0])
	}
	return ParsePlanTree(text)
}

// ParsePlanTree parses an indented plan with one line per operator: a TREE description, or a section of EXPLAIN, where
// Parent is the operator that consumes the records.
func ParsePlanTree(text string) []PlanOperator {
	var ops []PlanOperator
	var depths []int
	for _, line := range strings.Split(text, "\n") {
		depth, rest, ok := treePrefix(line)
		if !ok && len(ops) > 0 { // a newline inside an operator's own text
			ops[len(ops)-1].Text += "\n" + line
			continue
		}
		parent := -1
		for i := len(depths) - 1; i >= 0; i-- {
			if depths[i] < depth {
				parent = i
				break
			}
		}
		depths = append(depths, depth)
		ops = append(ops, planOperator(rest, parent))
	}
	return ops
}

// treePrefix reads the indentation of a TREE line: units of three characters that end in "+- " or ":- ".
func treePrefix(line string) (depth int, rest string, ok bool) {
	rest = line
	for {
		switch {
		case strings.HasPrefix(rest, "+- "), strings.HasPrefix(rest, ":- "):
			return depth + 1, rest[3:], true
		case strings.HasPrefix(rest, "   "), strings.HasPrefix(rest, ":  "):
			depth, rest = depth+1, rest[3:]
		default:
			return 0, line, false
		}
	}
}

var nodeID = regexp.MustCompile(`^\[(\d{1,9})\]:`)

func planOperator(text string, parent int) PlanOperator {
	op := PlanOperator{Text: text, Parent: parent}
	if m := nodeID.FindStringSubmatch(text); m != nil {
		op.ID, _ = strconv.Atoi(m[1])
		op.Text = text[len(m[0]):]
	}
	return op
}

// parseCascade splits "a -> b -> ( c , d )" at the top level: an operator's text may contain arrows in brackets.
func parseCascade(s string) []PlanOperator {
	var ops []PlanOperator
	parent := -1
	for {
		s = strings.TrimSpace(s)
		if strings.HasPrefix(s, "( ") && parent >= 0 {
			for _, branch := range splitTop(strings.TrimSuffix(strings.TrimPrefix(s, "( "), ")"), " , ") {
				base := len(ops)
				for _, op := range parseCascade(branch) {
					if op.Parent < 0 {
						op.Parent = parent
					} else {
						op.Parent += base
					}
					ops = append(ops, op)
				}
			}
			return ops
		}
		parts := splitTop(s, " -> ")
		if parts[0] != "" {
			ops = append(ops, planOperator(parts[0], parent))
			parent = len(ops) - 1
		}
		if len(parts) == 1 {
			return ops
		}
		s = s[len(parts[0])+len(" -> "):]
	}
}

// splitTop splits at sep outside brackets.
func splitTop(s, sep string) []string {
	var parts []string
	depth, start := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth > 0 {
				depth--
			}
		}
		if depth == 0 && strings.HasPrefix(s[i:], sep) {
			parts = append(parts, strings.TrimSpace(s[start:i]))
			start = i + len(sep)
			i = start - 1
		}
	}
	return append(parts, strings.TrimSpace(s[start:]))
}

// Property is the value of name=[…] in an operator text, with balanced brackets.
func Property(text, name string) (string, bool) {
	for from := 0; ; {
		i := strings.Index(text[from:], name+"=[")
		if i < 0 {
			return "", false
		}
		i += from
		if i > 0 && isWord(text[i-1]) { // the end of a longer name
			from = i + 1
			continue
		}
		start := i + len(name) + 2
		depth := 1
		for k := start; k < len(text); k++ {
			switch text[k] {
			case '[':
				depth++
			case ']':
				if depth--; depth == 0 {
					return text[start:k], true
				}
			}
		}
		return "", false
	}
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
