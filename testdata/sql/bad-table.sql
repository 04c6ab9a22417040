-- The watermark names no column; the query that needs the table is not blamed.
-- want: TM611 critical at 7:17
-- ddl: TM612 critical at 7:17
CREATE TABLE orders (
  k STRING,
  ts TIMESTAMP_LTZ(3),
  WATERMARK FOR nothing AS nothing - INTERVAL '5' SECOND
) WITH ('connector' = 'datagen');
CREATE TABLE sink (k STRING, w TIMESTAMP(3), n BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO sink
SELECT k, window_end, COUNT(*)
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' SECOND))
GROUP BY k, window_start, window_end;
