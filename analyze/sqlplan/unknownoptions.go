package sqlplan

import (
	"fmt"
	"regexp"
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/internal/near"
)

// unsupported is FactoryUtil's message, with the options that are not known and those that are.
var unsupported = regexp.MustCompile(`(?s)Unsupported options found for '([^']+)'\.\s*Unsupported options:\s*(.+?)\s*Supported options:\s*(.+)`)

// unknownOptions explains options that a connector does not know: mistyped, of a newer version, or about
// watermarks of a connector that takes none.
func unknownOptions(message string) (remedy, bool) {
	m := unsupported.FindStringSubmatch(message)
	if m == nil {
		return remedy{}, false
	}
	unknown, supported := strings.Fields(m[2]), strings.Fields(m[3])
	var parts []string
	marks := false
	for _, option := range unknown {
		part := "'" + oneLine(option) + "'"
		if meant := near.Meant(option, supported); len(meant) > 0 {
			part += " (did you mean '" + oneLine(meant[0]) + "'?)"
		} else if strings.HasPrefix(option, "scan.watermark.") {
			marks = true
		}
		parts = append(parts, part)
	}
	known := remedy{says: fmt.Sprintf("connector '%s' does not know %s", oneLine(m[1]), strings.Join(parts, ", ")),
		fix: catalog.Fix{Text: "Correct the option, or leave it out; the connector's documentation of this Flink version lists what there is."}}
	if marks {
		known.says += "; it does not make watermarks itself, so no scan.watermark option applies to it"
		known.fix = catalog.Fix{
			Text: "Leave the scan.watermark options out. The idle timeout of such a table is the session's.",
			SQL:  "SET 'table.exec.source.idle-timeout' = '1 min';",
		}
	}
	return known, true
}
