-- The system column and the late records of Confluent Cloud.
-- want: TM615 warning at 9:17
-- want: TM615 warning at 12:25
-- ddl: TM615 warning at 9:17
-- ddl: TM615 warning at 12:25
CREATE TABLE orders (
  k STRING, created_at BIGINT,
  ts AS TO_TIMESTAMP_LTZ(created_at, 3),
  WATERMARK FOR `$rowtime` AS SOURCE_WATERMARK()
) WITH ('connector' = 'confluent', 'kafka.retention.time' = '7 d');
ALTER TABLE orders MODIFY WATERMARK FOR ts AS ts - INTERVAL '5' SECOND;
ALTER TABLE orders SET ('late-handling.mode' = 'filter');
CREATE TABLE sink (k STRING, w TIMESTAMP(3), n BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO sink
SELECT k, window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' SECOND))
GROUP BY k, window_start, window_end;
