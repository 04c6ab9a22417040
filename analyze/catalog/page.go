package catalog

import "strings"

// pages is the address of docs/checks.md as a release is published; -ldflags "-X tidemark/analyze/catalog.pages=URL"
// sets it. Without it nothing links there: `tidemark explain` says the same without a network.
var pages string

// Page is the address at which a check is explained, "" where the build knows none.
func Page(code string) string {
	if pages == "" {
		return ""
	}
	return pages + "#" + strings.ToLower(code)
}
