-- The time attribute as it is.
CREATE TABLE orders (
  k STRING,
  v BIGINT,
  ts TIMESTAMP_LTZ(3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH (
  'connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'localhost:9092', 'properties.group.id' = 'check',
  'scan.startup.mode' = 'earliest-offset', 'format' = 'json', 'scan.watermark.idle-timeout' = '1 min'
);
CREATE VIEW texts AS SELECT k, ts FROM orders;
CREATE TABLE sink (k STRING, w TIMESTAMP(3), n BIGINT) WITH ('connector' = 'blackhole');
COMPILE PLAN 'file:///plans/counts.json' FOR INSERT INTO sink
SELECT k, window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE texts, DESCRIPTOR(ts), INTERVAL '10' SECOND))
GROUP BY k, window_start, window_end;
EXECUTE PLAN 'file:///plans/counts.json';
