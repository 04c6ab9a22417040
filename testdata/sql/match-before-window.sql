-- A measure that only copies the time is no time attribute.
-- want: TM601 critical at 15:22
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
CREATE TABLE sink (k STRING, w TIMESTAMP(3), n BIGINT) WITH ('connector' = 'blackhole');
CREATE VIEW rises AS
SELECT * FROM orders MATCH_RECOGNIZE (
  PARTITION BY k ORDER BY ts
  MEASURES LAST(B.ts) AS rise_time
  ONE ROW PER MATCH AFTER MATCH SKIP PAST LAST ROW
  PATTERN (A B)
  DEFINE A AS A.v > 1, B AS B.v > 2
);

INSERT INTO sink
SELECT k, window_end, COUNT(*)
FROM TABLE(TUMBLE(TABLE rises, DESCRIPTOR(rise_time), INTERVAL '10' SECOND))
GROUP BY k, window_start, window_end;
