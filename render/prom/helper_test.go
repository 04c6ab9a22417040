package prom

import "tidemark/render/internal/rendertest"

var (
	richReport    = rendertest.RichReport
	hostileReport = rendertest.HostileReport
)

func ptr[T any](v T) *T { return &v }
