-- A group window over an expression.
-- want: TM601 critical at 15:13
CREATE TABLE orders (
  k STRING,
  created BIGINT,
  ts TIMESTAMP_LTZ(3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH (
  'connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'localhost:9092', 'properties.group.id' = 'check',
  'scan.startup.mode' = 'earliest-offset', 'format' = 'json', 'scan.watermark.idle-timeout' = '1 min'
);
CREATE TABLE sink (k STRING, w TIMESTAMP(3), n BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO sink
SELECT k, CAST(NULL AS TIMESTAMP(3)), COUNT(*) FROM orders
GROUP BY k, TUMBLE(TO_TIMESTAMP(FROM_UNIXTIME(created)), INTERVAL '1' MINUTE);
