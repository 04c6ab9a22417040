-- A source read by CURRENT_WATERMARK alone is a user of event time.
-- want: TM604 info at 8:3
-- ddl: TM604 info at 8:3
CREATE TABLE orders (
  k STRING,
  v BIGINT,
  ts TIMESTAMP_LTZ(3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH (
  'connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'localhost:9092', 'properties.group.id' = 'check',
  'scan.startup.mode' = 'earliest-offset', 'format' = 'json'
);
CREATE TABLE sink (k STRING, v BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO sink SELECT k, v FROM orders WHERE ts < CURRENT_WATERMARK(ts);
