-- A view of a view makes a timestamp of a number.
-- want: TM601 critical at 13:32
CREATE TABLE orders (
  k STRING,
  created BIGINT,
  ts TIMESTAMP_LTZ(3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH (
  'connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'localhost:9092', 'properties.group.id' = 'check',
  'scan.startup.mode' = 'earliest-offset', 'format' = 'json', 'scan.watermark.idle-timeout' = '1 min'
);
CREATE VIEW texts AS SELECT k, FROM_UNIXTIME(created) AS t FROM orders;
CREATE VIEW times AS SELECT k, TO_TIMESTAMP(t) AS event_time FROM texts;
CREATE TABLE sink (k STRING, w TIMESTAMP(3), n BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO sink
SELECT k, window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE times, DESCRIPTOR(event_time), INTERVAL '10' SECOND))
GROUP BY k, window_start, window_end;
