-- The expression is a computed column of the table, and the watermark is on it.
CREATE TABLE orders (
  k STRING,
  sent TIMESTAMP_LTZ(3),
  ts TIMESTAMP_LTZ(3),
  best AS COALESCE(sent, ts),
  WATERMARK FOR best AS best - INTERVAL '5' SECOND
) WITH (
  'connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'localhost:9092', 'properties.group.id' = 'check',
  'scan.startup.mode' = 'earliest-offset', 'format' = 'json', 'scan.watermark.idle-timeout' = '1 min'
);
CREATE TEMPORARY VIEW `best times` AS
SELECT k, best FROM orders;
CREATE TABLE sink (k STRING, w TIMESTAMP(3), n BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO sink
SELECT k, window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE `best times`, DESCRIPTOR(best), INTERVAL '10' SECOND))
GROUP BY k, window_start, window_end;
