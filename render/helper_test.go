package render

import "tidemark/render/internal/rendertest"

var (
	acted         = rendertest.Acted
	narrow        = rendertest.Narrow
	inProse       = rendertest.InProse
	golden        = rendertest.Golden
	hostileNames  = rendertest.Names
	richReport    = rendertest.RichReport
	hostileReport = rendertest.HostileReport
	known         = rendertest.Known
)

const fixtureNow = rendertest.Now

func ptr[T any](v T) *T { return &v }
