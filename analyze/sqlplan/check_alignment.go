package sqlplan

import (
	"tidemark/analyze/catalog"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM619", Cause: "alignment-off", Title: "Watermark alignment is declared and has no effect",
	Severity: catalog.Warning, Needs: catalog.Needs(catalog.SQLScript), Script: catalog.ByText,
	Means: "A table names an alignment group without a drift or a drift without a group, which Flink refuses; or its drift or update interval is zero, so Flink does not align it; or it is alone in its group, which then aligns the splits of this table and no other.",
	Why:   "Alignment is on only with a group, a drift above zero and an update interval above zero (WatermarkParams.alignWatermarkEnabled, 1.18 to 2.3); else Flink leaves it off silently. A group without max-drift, or the reverse, is refused when the table is read. A group joins the sources of one job that name it.",
	Fix: catalog.Fix{
		Text: "Set all three, with the same group in every table that is to wait for the others.",
		SQL:  "'scan.watermark.alignment.group' = 'orders',\n'scan.watermark.alignment.max-drift' = '1 min',\n'scan.watermark.alignment.update-interval' = '1 s'",
	},
})
