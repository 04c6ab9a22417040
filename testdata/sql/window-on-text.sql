-- want: TM609 critical at 16:33
-- want: TM607 info at 8:17
-- ddl: TM607 info at 8:17
CREATE TABLE orders (
  k STRING,
  written STRING,
  ts AS TO_TIMESTAMP(written),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH (
  'connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'localhost:9092', 'properties.group.id' = 'check',
  'scan.startup.mode' = 'earliest-offset', 'format' = 'json', 'scan.watermark.idle-timeout' = '1 min'
);
CREATE TABLE sink (k STRING, w TIMESTAMP(3), n BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO sink
SELECT k, window_end, COUNT(*)
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(written), INTERVAL '10' SECOND))
GROUP BY k, window_start, window_end;
