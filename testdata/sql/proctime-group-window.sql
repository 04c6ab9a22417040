-- A group window on PROCTIME(), whose column the plan does not show: no event time, nothing to find.
CREATE TABLE orders (
  k STRING,
  v BIGINT,
  ts AS PROCTIME()
) WITH (
  'connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'localhost:9092', 'properties.group.id' = 'check',
  'scan.startup.mode' = 'earliest-offset', 'format' = 'json'
);
CREATE TABLE sink (k STRING, w TIMESTAMP(3), n BIGINT, PRIMARY KEY (k, w) NOT ENFORCED) WITH (
  'connector' = 'upsert-kafka', 'topic' = 'out', 'properties.bootstrap.servers' = 'localhost:9092', 'key.format' = 'json', 'value.format' = 'json'
);
SET 'table.exec.emit.early-fire.enabled' = 'true';
SET 'table.exec.emit.early-fire.delay' = '10 s';
INSERT INTO sink
SELECT k, TUMBLE_START(ts, INTERVAL '1' MINUTE), COUNT(*) FROM orders
GROUP BY k, TUMBLE(ts, INTERVAL '1' MINUTE);
