-- In quotes a variable is text; outside of them it must have been replaced.
-- want: TM612 critical at 11:58
-- ddl: TM612 critical at 11:58
CREATE TABLE orders (k STRING, ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH (
  'connector' = 'kafka', 'topic' = '${topic}', 'properties.bootstrap.servers' = 'localhost:9092', 'properties.group.id' = 'check',
  'format' = 'json', 'scan.watermark.idle-timeout' = '1 min'
);
CREATE TABLE sink (k STRING, w TIMESTAMP(3), n BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO sink
SELECT k, window_end, COUNT(*)
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL ${window} SECOND))
GROUP BY k, window_start, window_end;
