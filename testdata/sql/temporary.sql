-- Quotes, comments and temporary objects.
SET 'pipeline.name' = 'orders per key; with a semicolon'; -- and a comment; with one
CREATE TEMPORARY TABLE orders (
  k STRING,
  v BIGINT,
  event_time BIGINT,
  ts AS TO_TIMESTAMP_LTZ(event_time, 3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH (
  'connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'localhost:9092', 'properties.group.id' = 'check',
  'scan.startup.mode' = 'earliest-offset', 'format' = 'json', 'scan.watermark.idle-timeout' = '1 min'
);
/* a block; comment */
CREATE TEMPORARY TABLE sink (k STRING, w TIMESTAMP(3), n BIGINT) WITH ('connector' = 'blackhole');
CREATE TEMPORARY VIEW v AS SELECT k, ts FROM `orders` WHERE k <> 'it''s; fine';
INSERT INTO sink
SELECT k, window_end, COUNT(*)
FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(ts), INTERVAL '10' SECOND))
GROUP BY k, window_start, window_end;
DROP TEMPORARY VIEW v;
RESET 'pipeline.name';
SHOW TABLES;
QUIT;
