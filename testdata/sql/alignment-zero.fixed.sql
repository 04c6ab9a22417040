-- An interval of a second.
CREATE TABLE orders (
  k STRING,
  v BIGINT,
  ts TIMESTAMP_LTZ(3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH (
  'connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'localhost:9092', 'properties.group.id' = 'check',
  'scan.startup.mode' = 'earliest-offset', 'format' = 'json', 'scan.watermark.idle-timeout' = '1 min'
);
CREATE TABLE sink (k STRING, w TIMESTAMP(3), n BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO sink
SELECT k, TUMBLE_START(ts, INTERVAL '1' MINUTE), COUNT(*)
FROM orders /*+ OPTIONS('scan.watermark.alignment.group'='g', 'scan.watermark.alignment.max-drift'='2 min', 'scan.watermark.alignment.update-interval'='1 s') */
GROUP BY k, TUMBLE(ts, INTERVAL '1' MINUTE);
