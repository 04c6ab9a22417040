-- The table makes it, with a watermark.
CREATE TABLE orders (
  k STRING,
  created BIGINT,
  event_time AS TO_TIMESTAMP_LTZ(created, 0),
  WATERMARK FOR event_time AS event_time - INTERVAL '5' SECOND
) WITH (
  'connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'localhost:9092', 'properties.group.id' = 'check',
  'scan.startup.mode' = 'earliest-offset', 'format' = 'json', 'scan.watermark.idle-timeout' = '1 min'
);
CREATE VIEW texts AS SELECT k, event_time AS t FROM orders;
CREATE VIEW times AS SELECT k, t AS event_time FROM texts;
CREATE TABLE sink (k STRING, w TIMESTAMP(3), n BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO sink
SELECT k, window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE times, DESCRIPTOR(event_time), INTERVAL '10' SECOND))
GROUP BY k, window_start, window_end;
