-- Two OVER clauses of a SELECT differ.
-- want: TM611 critical at 14:1
CREATE TABLE orders (
  k STRING,
  v BIGINT,
  ts TIMESTAMP_LTZ(3),
  pt AS PROCTIME(),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH (
  'connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'localhost:9092', 'properties.group.id' = 'check',
  'scan.startup.mode' = 'earliest-offset', 'format' = 'json', 'scan.watermark.idle-timeout' = '1 min'
);
CREATE TABLE sink (a BIGINT, b BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO sink SELECT COUNT(*) OVER (PARTITION BY k ORDER BY ts), COUNT(*) OVER (PARTITION BY k ORDER BY pt) FROM orders;
