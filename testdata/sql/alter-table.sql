-- ALTER TABLE is followed: new name, new column, new watermark.
-- want: TM604 info at 14:63
-- want: TM616 critical at 14:32
-- ddl: TM604 info at 14:63
-- ddl: TM616 critical at 14:32
CREATE TABLE orders (
  k STRING,
  epoch_ms BIGINT
) WITH (
  'connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'localhost:9092', 'properties.group.id' = 'check',
  'scan.startup.mode' = 'earliest-offset', 'format' = 'json'
);
ALTER TABLE orders RENAME TO renamed;
ALTER TABLE renamed ADD (ts AS TO_TIMESTAMP_LTZ(epoch_ms, 0), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND);
CREATE TABLE sink (k STRING, w TIMESTAMP(3), n BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO sink
SELECT k, window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE renamed, DESCRIPTOR(ts), INTERVAL '10' SECOND))
GROUP BY k, window_start, window_end;
