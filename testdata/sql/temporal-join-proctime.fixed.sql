-- Versions as of event time.
CREATE TABLE orders (
  k STRING,
  v BIGINT,
  ts TIMESTAMP_LTZ(3),
  pt AS PROCTIME(),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH (
  'connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'localhost:9092', 'properties.group.id' = 'check',
  'scan.startup.mode' = 'earliest-offset', 'format' = 'json', 'scan.watermark.idle-timeout' = '1 min'
);
CREATE TABLE rates (
  k STRING,
  rate DOUBLE,
  ts TIMESTAMP_LTZ(3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND,
  PRIMARY KEY (k) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka', 'topic' = 'rates', 'properties.bootstrap.servers' = 'localhost:9092', 'properties.group.id' = 'check',
  'key.format' = 'json', 'value.format' = 'json', 'scan.watermark.idle-timeout' = '1 min'
);
CREATE TABLE sink (k STRING, w TIMESTAMP(3), n BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO sink
SELECT o.k, CAST(NULL AS TIMESTAMP(3)), 1 FROM orders AS o
LEFT JOIN rates FOR SYSTEM_TIME AS OF o.ts AS r ON o.k = r.k;
