-- The same dimension as a table of the session, with a time attribute of three digits and a watermark of its own.
CREATE TABLE dim_wm (
  id INT, name STRING, opt TIMESTAMP_LTZ(3),
  WATERMARK FOR opt AS opt - INTERVAL '5' SECOND
) WITH (
  'connector' = 'kafka', 'topic' = 'dim', 'properties.bootstrap.servers' = 'localhost:9092', 'properties.group.id' = 'check',
  'scan.startup.mode' = 'earliest-offset', 'format' = 'json', 'scan.watermark.idle-timeout' = '1 min'
);
CREATE TABLE sink (k STRING, w TIMESTAMP(3), n BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO sink SELECT name, window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE dim_wm, DESCRIPTOR(opt), INTERVAL '1' HOUR)) GROUP BY name, window_start, window_end;
