package prom

import (
	"bytes"
	"fmt"
	"strings"
)

// alertsMarkdown is the table of alerts.
func alertsMarkdown(o AlertOptions) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("| alert | severity | after | explained by |\n|---|---|---|---|\n")
	for _, a := range alerts {
		r, err := a.rule(o)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", a.name, r.Labels["severity"], r.For, strings.Join(a.codes, ", "))
	}
	return b.Bytes(), nil
}
