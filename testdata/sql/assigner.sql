-- A connector without push-down: the watermark is an operator of its own.
CREATE TABLE orders (
  n INT,
  k AS CAST(n AS STRING),
  ts AS CAST(CURRENT_TIMESTAMP AS TIMESTAMP_LTZ(3)),
  WATERMARK FOR ts AS ts - INTERVAL '1:30' MINUTE TO SECOND
) WITH ('connector' = 'datagen');
CREATE TABLE sink (k STRING, w TIMESTAMP(3), n BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO sink
SELECT k, window_end, COUNT(*)
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' SECOND))
GROUP BY k, window_start, window_end;
