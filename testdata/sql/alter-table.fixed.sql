-- The right unit, and an idle timeout.
CREATE TABLE orders (
  k STRING,
  epoch_ms BIGINT
) WITH (
  'connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'localhost:9092', 'properties.group.id' = 'check',
  'scan.startup.mode' = 'earliest-offset', 'format' = 'json'
);
ALTER TABLE orders SET ('scan.watermark.idle-timeout' = '1 min');
ALTER TABLE orders RENAME TO renamed;
ALTER TABLE renamed ADD (ts AS TO_TIMESTAMP_LTZ(epoch_ms, 3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND);
CREATE TABLE sink (k STRING, w TIMESTAMP(3), n BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO sink
SELECT k, window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE renamed, DESCRIPTOR(ts), INTERVAL '10' SECOND))
GROUP BY k, window_start, window_end;
