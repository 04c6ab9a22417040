package policy

import (
	"strings"

	"tidemark/analyze/catalog"
)

// asks is the need for policy keys: a check of the policy judges what they demand.
func asks(keys ...string) catalog.Reading {
	what := "policy key "
	if len(keys) > 1 {
		what = "policy keys "
	}
	return catalog.Named(what + strings.Join(keys, " and "))
}
