-- PROCTIME() of a view over a table with a watermark: no event time, nothing to find.
-- ddl: TM604 info at 7:3
CREATE TABLE orders (
  k STRING,
  v BIGINT,
  ts TIMESTAMP_LTZ(3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH (
  'connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'localhost:9092', 'properties.group.id' = 'check',
  'scan.startup.mode' = 'earliest-offset', 'format' = 'json'
);
CREATE VIEW seen AS SELECT k, ts, PROCTIME() AS pt FROM orders;
CREATE TABLE sink (k STRING, w TIMESTAMP(3), n BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO sink
SELECT k, TUMBLE_START(pt, INTERVAL '1' MINUTE), COUNT(*) FROM seen
GROUP BY k, TUMBLE(pt, INTERVAL '1' MINUTE);
