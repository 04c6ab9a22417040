package main

import (
	"fmt"
	"reflect"
	"strings"

	"tidemark/analyze/policy"
	"tidemark/internal/keytable"
)

var policyTables = map[string]func() string{"checklist": checklistTable, "keys": keysTable}

func checklistTable() string {
	var b strings.Builder
	for i, part := range []struct {
		title string
		items []policy.Item
	}{{"before it goes live", policy.Checklist}, {"symptom", policy.Symptoms}} {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "| %s | policy keys | checks | tests |\n|---|---|---|---|\n", part.title)
		for _, item := range part.items {
			fmt.Fprintf(&b, "| %s | `%s` | %s | `%s` |\n", item.Text, strings.Join(item.Keys, "`, `"), strings.Join(item.Checks, ", "), item.Slug)
		}
	}
	return b.String()
}

func keysTable() string {
	var b strings.Builder
	b.WriteString("| key | takes | meaning |\n|---|---|---|\n")
	for _, k := range keytable.Of(reflect.TypeFor[policy.Policy]()) {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", k.Key, strings.ReplaceAll(k.Takes, "|", `\|`), strings.ReplaceAll(k.Doc, "|", `\|`))
	}
	return b.String()
}
