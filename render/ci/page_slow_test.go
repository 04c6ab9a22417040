//go:build slow

package ci

import (
	"strings"
	"testing"

	"tidemark/render/internal/rendertest"
)

func TestPagesOfACheckInABrowser(t *testing.T) {
	pages := map[string][]byte{
		"check-sample": checked(t, HTML, sampleRun(), Options{}), "check-empty": checked(t, HTML, emptyRun(), Options{}), "check-incomplete": checked(t, HTML, incompleteRun(), Options{}),
		"check-passed": checked(t, HTML, passedRun(), Options{}), "check-many": checked(t, HTML, manyRun(40), Options{}),
	}
	for name, word := range map[string]string{"long": strings.Repeat("a long name ", 30), "unbroken": strings.Repeat("x", 300), "names": "<script>document.title='taken'</script>"} {
		pages["check-"+name] = checked(t, HTML, hostileRun(word), Options{})
	}
	rendertest.Browse(t, pages)
}
