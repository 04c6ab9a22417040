package sqlplan

import (
	"tidemark/analyze/catalog"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM617", Cause: "catalog-table", Title: "The catalog does not take the table as it is declared",
	Severity: catalog.Critical, Needs: catalog.Needs(catalog.SQLScript), Script: catalog.ByText,
	Means: "CREATE TABLE with a WATERMARK or a computed column in an Iceberg catalog, or any CREATE TABLE in a JDBC catalog: the catalog refuses it.",
	Why: "A catalog keeps tables in its own form. Iceberg's refuses watermarks and computed columns, and makes six digits of every timestamp (FlinkCatalog), so a table LIKE one of its tables cannot take a watermark on such a column, either. JDBC catalogs only read. " +
		"The check creates nothing in such a catalog: it plans with a temporary table, which the catalog never sees, and says that its answer is incomplete where the catalog decides.",
	Fix: catalog.Fix{
		Text: "Declare the table with the WATERMARK in the default catalog and give it a computed column of three digits, or put CREATE TEMPORARY TABLE.",
		SQL:  "CREATE TABLE default_catalog.default_database.orders_wm (\n  rt AS CAST(ts AS TIMESTAMP(3)),\n  WATERMARK FOR rt AS rt - INTERVAL '5' SECOND\n) LIKE ice.db.orders",
	},
})
