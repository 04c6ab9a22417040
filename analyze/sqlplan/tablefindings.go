package sqlplan

import (
	"fmt"
	"strings"

	"tidemark/analyze/catalog"
)

// wholeConnectors read one stream that nobody splits: no part of it can be quiet alone.
var wholeConnectors = map[string]bool{"datagen": true, "socket": true, "faker": true, "jdbc": true, "print": true, "blackhole": true, "values": true, "nexmark": true}

// judgeSource judges what a table declares.
func (r *reader) judgeSource(s Source, t table) {
	if !s.HasWatermark() {
		return
	}
	subject := ofTable(s.Table)
	at := s.Location
	if t.watermark != nil && t.watermark.col.line > 0 && s.Location.Line > 0 {
		at = r.at(t.watermark.col)
	}
	if ts, ok := ParseTimestamp(s.RowtimeType); ok {
		if ts.Precision > 3 {
			r.precision(s.Table, at, s.RowtimeColumn, s.RowtimeType, nil)
		}
		if !ts.Zoned {
			r.withoutZone(s, t, at)
		}
	}
	if s.SourceWatermark && !t.platform {
		r.sourceWatermark(s, t)
	}
	if s.IdleTimeout.State == SpanUnset && !s.SourceWatermark && !s.OnlyWritten && !wholeConnectors[s.Connector] && !strings.HasSuffix(s.Connector, "-cdc") && (r.gw == nil || s.EventTime) {
		f := r.finding("TM604", subject, s.Location)
		f.Summary = fmt.Sprintf("Table %s declares a watermark and no idle timeout: a quiet partition would stop event time", name(s.Table))
		prove(&f, s.Table, "WATERMARK", s.WatermarkExpr)
		f.Fix.SQL = fmt.Sprintf("-- in CREATE TABLE %s, from 1.18 on\nWITH (…, 'scan.watermark.idle-timeout' = '60 s')\n-- before, or for all tables: SET 'table.exec.source.idle-timeout' = '60 s';", s.Table)
		r.add(f)
	}
}

// precision reports a time column that Flink takes no watermark on.
func (r *reader) precision(tableName string, at Location, col, typ string, refusal *Refusal) {
	if r.said("TM608 " + tableName) {
		return
	}
	f := r.finding("TM608", ofTable(tableName), at)
	f.Summary = fmt.Sprintf("The watermark of table %s is on %s, a %s: Flink takes at most 3 digits of a second and refuses the table", name(tableName), name(col), typ)
	prove(&f, tableName, "type of "+col, typ)
	if refusal != nil {
		refused(&f, tableName, refusal)
	}
	r.add(f)
}

func typeIn(t table, col string) string {
	if c := t.column(col); c != nil && c.typ != "" {
		return c.typ
	}
	return "type of more than 3 digits"
}

// zoneCalls turn a point in time into a reading of the session's clock.
var zoneCalls = []string{"FROM_UNIXTIME", "CURRENT_TIMESTAMP", "NOW", "LOCALTIMESTAMP", "TO_TIMESTAMP_LTZ", "CONVERT_TZ"}

// withoutZone reports a rowtime of type TIMESTAMP: whose clock it reads, the type does not say.
func (r *reader) withoutZone(s Source, t table, at Location) {
	f := r.finding("TM607", ofTable(s.Table), at)
	f.Confidence = catalog.Possible
	f.Summary = fmt.Sprintf("The watermark of table %s is on %s, a %s without a zone: Flink takes it for UTC, and event time is off by the offset if the data is written in another zone", name(s.Table), name(s.RowtimeColumn), s.RowtimeType)
	if c := t.column(s.RowtimeColumn); c != nil {
		if call := zoneCall(c); call != "" || c.metadata {
			if c.metadata {
				call = "a METADATA column"
			}
			f.Severity, f.Confidence = catalog.Warning, catalog.Likely
			f.Summary = fmt.Sprintf("The watermark of table %s is on %s, a %s made by %s in the session's time zone: event time is off by that zone's offset, and moves with the setting", name(s.Table), name(s.RowtimeColumn), s.RowtimeType, call)
		}
	}
	prove(&f, s.Table, "type of "+s.RowtimeColumn, s.RowtimeType)
	r.add(f)
}

func zoneCall(c *column) string {
	for _, t := range c.computed {
		for _, call := range zoneCalls {
			if t.is(call) {
				return call
			}
		}
	}
	return ""
}

// markless connectors are read with Flink's own watermarks only.
var markless = map[string]bool{"kafka": true, "upsert-kafka": true, "datagen": true, "filesystem": true, "jdbc": true, "kinesis": true, "pulsar": true, "socket": true, "faker": true, "rabbitmq": true, "mongodb": true, "hbase-2.2": true}

func (r *reader) sourceWatermark(s Source, t table) {
	column, named := t.options["watermark-column"]
	if s.Connector == "iceberg" && named {
		return // its source computes the watermark of that column (IcebergTableSource.applySourceWatermark)
	}
	f := r.finding("TM610", ofTable(s.Table), s.Location)
	f.Summary = fmt.Sprintf("Table %s takes SOURCE_WATERMARK() from connector %s, which gives none: the job would fail at its first record", name(s.Table), name(s.Connector))
	if !markless[s.Connector] && !strings.HasSuffix(s.Connector, "-cdc") {
		f.Severity, f.Confidence = catalog.Info, catalog.Possible
		f.Summary = fmt.Sprintf("Table %s takes SOURCE_WATERMARK() from connector %s: whether that gives watermarks, its own documentation says", name(s.Table), name(s.Connector))
	}
	if s.Connector == "iceberg" {
		f.Severity, f.Confidence = catalog.Critical, catalog.Likely
		f.Summary = fmt.Sprintf("Table %s takes SOURCE_WATERMARK() from connector \"iceberg\", which gives watermarks only where 'watermark-column' names the column to make them of: the query would be refused", name(s.Table))
		f.Fix = catalog.Fix{
			Text: "Name the timestamp column of the Iceberg table, and declare the event time as a column of three digits made of it.",
			SQL:  "CREATE TABLE orders_wm (\n  ts AS CAST(created AS TIMESTAMP(3)),\n  WATERMARK FOR ts AS SOURCE_WATERMARK()\n) WITH ('watermark-column' = 'created') LIKE ice.db.orders",
		}
	}
	if named {
		prove(&f, s.Table, "watermark-column", column.value)
	}
	if s.Connector == "" {
		f.Summary = fmt.Sprintf("Table %s takes SOURCE_WATERMARK() and names no connector: Confluent Cloud computes such a watermark for its tables, open-source Flink refuses to read a table without a connector", name(s.Table))
	}
	prove(&f, s.Table, "connector", s.Connector)
	r.add(f)
}

// noWatermark reports a table without WATERMARK where event time is asked for, once per table.
func (r *reader) noWatermark(q *Query, c *scan, asks string, severity catalog.Severity) {
	tableName := r.tableName(c.path)
	if r.said("TM605 " + tableName) {
		return
	}
	var at Location
	if d := r.declaredFor(c.path); d != nil {
		at = r.at(d.at)
	} else {
		at = q.Location
	}
	f := r.finding("TM605", ofTable(tableName), at)
	f.Severity = severity
	f.Summary = fmt.Sprintf("Table %s has no WATERMARK, and %s", name(tableName), asks)
	prove(&f, c.path, "plan", "a scan without watermark")
	r.add(f)
}

// otherColumn reports a window on a column that is not the one with the watermark.
func (r *reader) otherColumn(q *Query, c *scan, pr probe) {
	f := r.finding("TM609", ofQuery(q.Name), r.at(pr.at))
	f.Severity = catalog.Critical
	f.Summary = fmt.Sprintf("%s asks for event time on %s, but the watermark of table %s is on %s", upper(q.words()), name(pr.column), name(r.tableName(c.path)), name(c.table.watermark.column))
	prove(&f, c.path, "WATERMARK FOR", c.table.watermark.column)
	r.add(f)
}
