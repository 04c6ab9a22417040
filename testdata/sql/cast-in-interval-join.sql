-- Planned as a regular join that keeps every row.
-- want: TM601 warning at 26:17
CREATE TABLE orders (
  k STRING,
  v BIGINT,
  event_time BIGINT,
  ts AS TO_TIMESTAMP_LTZ(event_time, 3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH (
  'connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'localhost:9092', 'properties.group.id' = 'check',
  'scan.startup.mode' = 'earliest-offset', 'format' = 'json', 'scan.watermark.idle-timeout' = '1 min'
);
CREATE TABLE payments (
  k STRING,
  v BIGINT,
  event_time BIGINT,
  ts AS TO_TIMESTAMP_LTZ(event_time, 3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH (
  'connector' = 'kafka', 'topic' = 'payments', 'properties.bootstrap.servers' = 'localhost:9092', 'properties.group.id' = 'check',
  'scan.startup.mode' = 'earliest-offset', 'format' = 'json', 'scan.watermark.idle-timeout' = '1 min'
);
CREATE TABLE sink (k STRING, w TIMESTAMP(3), n BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO sink
SELECT o.k, CAST(NULL AS TIMESTAMP(3)), 1
FROM (SELECT k, CAST(ts AS TIMESTAMP(3)) AS ts FROM orders) AS o
JOIN (SELECT k, CAST(ts AS TIMESTAMP(3)) AS ts FROM payments) AS p ON o.k = p.k
  AND o.ts BETWEEN p.ts - INTERVAL '10' SECOND AND p.ts;
