-- FROM_UNIXTIME writes local time of the session: event time is eight hours ahead.
-- want: TM607 warning at 8:17
-- ddl: TM607 warning at 8:17
CREATE TABLE orders (
  k STRING,
  event_time BIGINT,
  ts AS TO_TIMESTAMP(FROM_UNIXTIME(event_time / 1000)),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH (
  'connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'localhost:9092', 'properties.group.id' = 'check',
  'scan.startup.mode' = 'earliest-offset', 'format' = 'json', 'scan.watermark.idle-timeout' = '1 min'
);
CREATE TABLE sink (k STRING, w TIMESTAMP(3), n BIGINT) WITH ('connector' = 'blackhole');
SET 'table.local-time-zone' = 'Asia/Shanghai';
INSERT INTO sink
SELECT k, window_end, COUNT(*)
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' SECOND))
GROUP BY k, window_start, window_end;
