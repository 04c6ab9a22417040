package checks

import (
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
)

// titleHeld names what waits where no window does: a join, a pattern, an expression that reads the watermark.
func titleHeld(f *catalog.Finding, v *model.Vertex) {
	for _, d := range append([]*model.Vertex{v}, v.Descendants()...) {
		for _, op := range d.Chain {
			switch op.Kind {
			case model.KindWindow, model.KindLocalWindow, model.KindUnknown: // a user function may hold a window or timers
				return
			}
		}
	}
	waits := "{behind} gets no watermark"
	if len(f.HeldBack) == 0 {
		waits = "nothing behind it gets a watermark"
	}
	check, _ := catalog.FindCheck(f.Code)
	f.Title = strings.NewReplacer("no window behind {vertex} can fire", waits, "no window behind it can fire", waits).Replace(check.Headline)
}
