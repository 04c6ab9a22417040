-- scenario: tumble-5s
@kafka o orders 5;
@sink s (k STRING, w TIMESTAMP(3), c BIGINT);
INSERT INTO s SELECT k, window_end, COUNT(*) FROM TABLE(TUMBLE(TABLE o, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end;
-- scenario: idle-timeout-aligned
@kafka o silent3 5 scan.watermark.idle-timeout=60s scan.watermark.alignment.group=g scan.watermark.alignment.max-drift=10s scan.watermark.emit.strategy=on-event;
@sink s (k STRING, w TIMESTAMP(3), c BIGINT);
INSERT INTO s SELECT k, window_end, COUNT(*) FROM TABLE(TUMBLE(TABLE o, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end;
-- scenario: interval-join
@kafka o orders 5 scan.watermark.idle-timeout=5s;
@kafka p two 5 scan.watermark.idle-timeout=5s;
@sink s (k STRING, w TIMESTAMP(3), c BIGINT);
CREATE VIEW j AS SELECT o.k, o.ts FROM o JOIN p ON o.k = p.k AND o.ts BETWEEN p.ts - INTERVAL '15' SECOND AND p.ts + INTERVAL '20' SECOND;
INSERT INTO s SELECT k, window_end, COUNT(*) FROM TABLE(TUMBLE(TABLE j, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end;
-- scenario: match-recognize
@kafka o orders 5;
@sink s (k STRING, a TIMESTAMP_LTZ(3));
INSERT INTO s SELECT k, a FROM o MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.ts AS a ONE ROW PER MATCH AFTER MATCH SKIP PAST LAST ROW PATTERN (A B) WITHIN INTERVAL '30' SECOND DEFINE B AS B.ts > A.ts);
-- scenario: temporal-join-quiet
@kafka o orders 5;
CREATE TABLE r (k STRING, v BIGINT, ms BIGINT, ts AS TO_TIMESTAMP_LTZ(ms, 3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector'='upsert-kafka','topic'='orders-quiet-json','properties.bootstrap.servers'='${kafka}','properties.group.id'='lab-sql','key.format'='raw','value.format'='json','value.fields-include'='EXCEPT_KEY');
@sink s (k STRING, v BIGINT);
INSERT INTO s SELECT o.k, r.v FROM o JOIN r FOR SYSTEM_TIME AS OF o.ts ON o.k = r.k;
-- scenario: temporal-join-quiet-declared
@kafka o orders 5;
SET 'table.exec.source.idle-timeout'='5 s';
CREATE TABLE r (k STRING, v BIGINT, ms BIGINT, ts AS TO_TIMESTAMP_LTZ(ms, 3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector'='upsert-kafka','topic'='orders-quiet-json','properties.bootstrap.servers'='${kafka}','properties.group.id'='lab-sql','key.format'='raw','value.format'='json','value.fields-include'='EXCEPT_KEY');
@sink s (k STRING, v BIGINT);
INSERT INTO s SELECT o.k, r.v FROM o JOIN r FOR SYSTEM_TIME AS OF o.ts ON o.k = r.k;
-- scenario: temporal-join
@kafka o orders 5;
CREATE TABLE r (k STRING, v BIGINT, ms BIGINT, ts AS TO_TIMESTAMP_LTZ(ms, 3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector'='upsert-kafka','topic'='rates-json','properties.bootstrap.servers'='${kafka}','properties.group.id'='lab-sql','key.format'='raw','value.format'='json','value.fields-include'='EXCEPT_KEY');
@sink s (k STRING, v BIGINT);
INSERT INTO s SELECT o.k, r.v FROM o JOIN r FOR SYSTEM_TIME AS OF o.ts ON o.k = r.k;
-- scenario: temporal-join-zero
@kafka o orders 5;
CREATE TABLE r (k STRING, v BIGINT, ms BIGINT, ts AS TO_TIMESTAMP_LTZ(ms, 3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector'='upsert-kafka','topic'='cdc-json','properties.bootstrap.servers'='${kafka}','properties.group.id'='lab-sql','key.format'='raw','value.format'='json','value.fields-include'='EXCEPT_KEY');
@sink s (k STRING, v BIGINT);
INSERT INTO s SELECT o.k, r.v FROM o JOIN r FOR SYSTEM_TIME AS OF o.ts ON o.k = r.k;
-- scenario: temporal-join-late
@kafka o late 5;
CREATE TABLE r (k STRING, v BIGINT, ms BIGINT, ts AS TO_TIMESTAMP_LTZ(ms, 3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector'='upsert-kafka','topic'='rates-late-json','properties.bootstrap.servers'='${kafka}','properties.group.id'='lab-sql','key.format'='raw','value.format'='json','value.fields-include'='EXCEPT_KEY');
@sink s (k STRING, v BIGINT);
INSERT INTO s SELECT o.k, r.v FROM o JOIN r FOR SYSTEM_TIME AS OF o.ts ON o.k = r.k;
-- scenario: zone-shift
CREATE TABLE o (line STRING, k AS SPLIT_INDEX(line, ',', 0), ts AS CAST(FROM_UNIXTIME(CAST(SPLIT_INDEX(line, ',', 1) AS BIGINT)/1000 + 8*3600) AS TIMESTAMP(3)), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector'='kafka','topic'='orders','properties.bootstrap.servers'='${kafka}','properties.group.id'='lab-sql','scan.startup.mode'='earliest-offset','format'='raw');
@sink s (k STRING, w TIMESTAMP(3), c BIGINT);
INSERT INTO s SELECT k, window_end, COUNT(*) FROM TABLE(TUMBLE(TABLE o, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end;
-- scenario: zone-shift-behind
CREATE TABLE o (line STRING, k AS SPLIT_INDEX(line, ',', 0), ts AS CAST(FROM_UNIXTIME(CAST(SPLIT_INDEX(line, ',', 1) AS BIGINT)/1000 - 5*3600 - 1800) AS TIMESTAMP(3)), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector'='kafka','topic'='orders','properties.bootstrap.servers'='${kafka}','properties.group.id'='lab-sql','scan.startup.mode'='earliest-offset','format'='raw');
@sink s (k STRING, w TIMESTAMP(3), c BIGINT);
INSERT INTO s SELECT k, window_end, COUNT(*) FROM TABLE(TUMBLE(TABLE o, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end;
-- scenario: seconds
CREATE TABLE o (line STRING, k AS SPLIT_INDEX(line, ',', 0), ts AS TO_TIMESTAMP_LTZ(CAST(SPLIT_INDEX(line, ',', 1) AS BIGINT) / 1000, 3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector'='kafka','topic'='orders','properties.bootstrap.servers'='${kafka}','properties.group.id'='lab-sql','scan.startup.mode'='earliest-offset','format'='raw');
@sink s (k STRING, w TIMESTAMP(3), c BIGINT);
INSERT INTO s SELECT k, window_end, COUNT(*) FROM TABLE(TUMBLE(TABLE o, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end;
-- scenario: source-watermark-late
CREATE TABLE o (line STRING, k AS SPLIT_INDEX(line, ',', 0), ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp', WATERMARK FOR ts AS ts) WITH ('connector'='kafka','topic'='orders','properties.bootstrap.servers'='${kafka}','properties.group.id'='lab-sql','scan.startup.mode'='earliest-offset','format'='raw');
@sink s (k STRING, w TIMESTAMP(3), c BIGINT);
INSERT INTO s SELECT k, window_end, COUNT(*) FROM TABLE(CUMULATE(TABLE o, DESCRIPTOR(ts), INTERVAL '10' SECOND, INTERVAL '10' MINUTE)) GROUP BY k, window_start, window_end;
-- scenario: late-drops
@kafka o late 1;
@sink s (k STRING, w TIMESTAMP(3), c BIGINT);
INSERT INTO s SELECT k, window_end, COUNT(*) FROM TABLE(TUMBLE(TABLE o, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end;
-- scenario: late-over
@kafka o late 1;
@sink s (k STRING, c BIGINT);
INSERT INTO s SELECT k, COUNT(*) OVER (PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL '30' SECOND PRECEDING AND CURRENT ROW) FROM o;
-- scenario: late-interval-join
@kafka o late 1;
@kafka p two 1;
@sink s (k STRING, ts TIMESTAMP_LTZ(3));
CREATE VIEW j AS SELECT o.k, o.ts FROM o JOIN p ON o.k = p.k AND o.ts BETWEEN p.ts - INTERVAL '15' SECOND AND p.ts + INTERVAL '20' SECOND;
INSERT INTO s SELECT k, ts FROM j;
-- scenario: late-sort
@kafka o late 1;
@sink s (k STRING, ts TIMESTAMP_LTZ(3));
INSERT INTO s SELECT k, ts FROM o ORDER BY ts;
-- scenario: idle-split
@kafka o silent3 5;
SET 'parallelism.default'='2';
@sink s (k STRING, w TIMESTAMP(3), c BIGINT);
INSERT INTO s SELECT k, window_end, COUNT(*) FROM TABLE(TUMBLE(TABLE o, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end;
-- scenario: idle-split-declared
@kafka o silent3 5 scan.watermark.idle-timeout=5s;
SET 'parallelism.default'='2';
@sink s (k STRING, w TIMESTAMP(3), c BIGINT);
INSERT INTO s SELECT k, window_end, COUNT(*) FROM TABLE(TUMBLE(TABLE o, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end;
-- scenario: local-global-idle
SET 'parallelism.default'='4';
SET 'table.exec.source.idle-timeout'='5 s';
SET 'table.optimizer.agg-phase-strategy'='TWO_PHASE';
@kafka o silent23 5;
@sink s (k STRING, w TIMESTAMP(3), c BIGINT);
INSERT INTO s SELECT k, window_end, COUNT(*) FROM TABLE(TUMBLE(TABLE o, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end;
-- scenario: local-global-silent
SET 'parallelism.default'='4';
SET 'table.optimizer.agg-phase-strategy'='TWO_PHASE';
@kafka o silent23 5;
@sink s (k STRING, w TIMESTAMP(3), c BIGINT);
INSERT INTO s SELECT k, window_end, COUNT(*) FROM TABLE(TUMBLE(TABLE o, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end;
-- scenario: all-quiet
SET 'table.exec.source.idle-timeout'='5 s';
@kafka o allstop 5;
@sink s (k STRING, w TIMESTAMP(3), c BIGINT);
INSERT INTO s SELECT k, window_end, COUNT(*) FROM TABLE(TUMBLE(TABLE o, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end;
-- scenario: union-quiet
@kafka o orders 5;
@kafka p orders-quiet 5;
@sink s (k STRING, w TIMESTAMP(3), c BIGINT);
CREATE VIEW j AS SELECT k, ts FROM o UNION ALL SELECT k, ts FROM p;
INSERT INTO s SELECT k, window_end, COUNT(*) FROM TABLE(TUMBLE(TABLE j, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end;
-- scenario: window-join-quiet
@kafka o orders 5;
@kafka p orders-quiet 5;
@sink s (k STRING, w TIMESTAMP(3));
INSERT INTO s SELECT l.k, l.window_end FROM (SELECT * FROM TABLE(TUMBLE(TABLE o, DESCRIPTOR(ts), INTERVAL '10' SECOND))) l JOIN (SELECT * FROM TABLE(TUMBLE(TABLE p, DESCRIPTOR(ts), INTERVAL '10' SECOND))) r ON l.k = r.k AND l.window_start = r.window_start AND l.window_end = r.window_end;
-- scenario: group-by-only
@kafka o orders 5;
@sink s (k STRING, c BIGINT);
INSERT INTO s SELECT k, COUNT(*) FROM o GROUP BY k;
-- scenario: regular-join
@kafka o orders 5;
@kafka p two 5;
@sink s (k STRING, ts TIMESTAMP_LTZ(3));
SET 'table.exec.state.ttl'='10 s';
INSERT INTO s SELECT o.k, p.ts FROM o JOIN p ON o.k = p.k AND o.line = p.line;
-- scenario: mini-batch-no-watermark
SET 'table.exec.mini-batch.enabled'='true';
SET 'table.exec.mini-batch.allow-latency'='5 s';
SET 'table.exec.mini-batch.size'='1000';
@kafka o orders -;
@sink s (k STRING, c BIGINT);
INSERT INTO s SELECT k, COUNT(*) FROM o GROUP BY k;
-- scenario: mini-batch-proctime
SET 'table.exec.mini-batch.enabled'='true';
SET 'table.exec.mini-batch.allow-latency'='5 s';
SET 'table.exec.mini-batch.size'='1000';
@kafka o orders 5;
@sink s (k STRING, c BIGINT);
INSERT INTO s SELECT k, COUNT(*) FROM o GROUP BY k;
-- scenario: mini-batch-rowtime
SET 'table.exec.mini-batch.enabled'='true';
SET 'table.exec.mini-batch.allow-latency'='5 s';
SET 'table.exec.mini-batch.size'='1000';
@kafka o orders 5;
@kafka p two 5;
@sink s (k STRING, c BIGINT);
CREATE VIEW j AS SELECT o.k, o.ts FROM o JOIN p ON o.k = p.k AND o.ts BETWEEN p.ts - INTERVAL '15' SECOND AND p.ts + INTERVAL '20' SECOND;
INSERT INTO s SELECT k, COUNT(*) FROM j GROUP BY k;
-- scenario: mini-batch-idle-split
SET 'table.exec.mini-batch.enabled'='true';
SET 'table.exec.mini-batch.allow-latency'='5 s';
SET 'table.exec.mini-batch.size'='1000';
@kafka o silent3 5;
@kafka p two 5;
@sink s (k STRING, c BIGINT);
CREATE VIEW j AS SELECT o.k, o.ts FROM o JOIN p ON o.k = p.k AND o.ts BETWEEN p.ts - INTERVAL '15' SECOND AND p.ts + INTERVAL '20' SECOND;
INSERT INTO s SELECT k, COUNT(*) FROM j GROUP BY k;
-- scenario: mini-batch-window
SET 'table.exec.mini-batch.enabled'='true';
SET 'table.exec.mini-batch.allow-latency'='5 s';
SET 'table.exec.mini-batch.size'='1000';
@kafka o orders 5;
@sink s (k STRING, c BIGINT);
INSERT INTO s SELECT k, SUM(c) FROM (SELECT k, TUMBLE_END(ts, INTERVAL '10' SECOND) w, COUNT(*) c FROM o GROUP BY k, TUMBLE(ts, INTERVAL '10' SECOND)) GROUP BY k;
-- scenario: bound-too-large
@kafka o orders 600;
@sink s (k STRING, w TIMESTAMP(3), c BIGINT);
INSERT INTO s SELECT k, window_end, COUNT(*) FROM TABLE(TUMBLE(TABLE o, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end;
-- scenario: monotonous
@kafka o orders 0;
@sink s (k STRING, w TIMESTAMP(3), c BIGINT);
INSERT INTO s SELECT k, window_end, COUNT(*) FROM TABLE(TUMBLE(TABLE o, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end;
-- scenario: session
@kafka o orders 5;
@sink s (k STRING, w TIMESTAMP(3), c BIGINT);
INSERT INTO s SELECT k, window_end, COUNT(*) FROM TABLE(SESSION(TABLE o PARTITION BY k, DESCRIPTOR(ts), INTERVAL '5' SECOND)) GROUP BY k, window_start, window_end;
-- scenario: session-legacy
@kafka o orders 5;
@sink s (k STRING, w TIMESTAMP(3), c BIGINT);
INSERT INTO s SELECT k, SESSION_END(ts, INTERVAL '5' SECOND), COUNT(*) FROM o GROUP BY k, SESSION(ts, INTERVAL '5' SECOND);
-- scenario: hop
@kafka o orders 5;
@sink s (k STRING, w TIMESTAMP(3), c BIGINT);
INSERT INTO s SELECT k, window_end, COUNT(*) FROM TABLE(HOP(TABLE o, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '20' SECOND)) GROUP BY k, window_start, window_end;
-- scenario: cumulate
@kafka o orders 5;
@sink s (k STRING, w TIMESTAMP(3), c BIGINT);
INSERT INTO s SELECT k, window_end, COUNT(*) FROM TABLE(CUMULATE(TABLE o, DESCRIPTOR(ts), INTERVAL '10' SECOND, INTERVAL '60' SECOND)) GROUP BY k, window_start, window_end;
-- scenario: window-top-n
@kafka o orders 5;
@sink s (k STRING, w TIMESTAMP(3), c BIGINT);
INSERT INTO s SELECT k, window_end, c FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY c DESC) rn FROM (SELECT k, window_start, window_end, COUNT(*) c FROM TABLE(TUMBLE(TABLE o, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end)) WHERE rn <= 3;
-- scenario: top-n-before-window
@kafka o orders 5;
@sink s (k STRING, w TIMESTAMP(3), c BIGINT);
CREATE VIEW j AS SELECT k, ts FROM (SELECT k, ts, ROW_NUMBER() OVER (PARTITION BY k ORDER BY line DESC) rn FROM o) WHERE rn <= 3;
INSERT INTO s SELECT k, window_end, COUNT(*) FROM TABLE(TUMBLE(TABLE j, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end;
-- scenario: dedup-before-window
@kafka o orders 5;
@sink s (k STRING, w TIMESTAMP(3), c BIGINT);
CREATE VIEW j AS SELECT k, ts FROM (SELECT k, ts, ROW_NUMBER() OVER (PARTITION BY line ORDER BY ts ASC) rn FROM o) WHERE rn = 1;
INSERT INTO s SELECT k, window_end, COUNT(*) FROM TABLE(TUMBLE(TABLE j, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end;
-- scenario: dedup-last-before-window
@kafka o orders 5;
@sink s (k STRING, w TIMESTAMP(3), c BIGINT);
CREATE VIEW j AS SELECT k, ts FROM (SELECT k, ts, ROW_NUMBER() OVER (PARTITION BY line ORDER BY ts DESC) rn FROM o) WHERE rn = 1;
INSERT INTO s SELECT k, window_end, COUNT(*) FROM TABLE(TUMBLE(TABLE j, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end;
-- scenario: upsert-assigner
CREATE TABLE r (k STRING, v BIGINT, ms BIGINT, ts AS TO_TIMESTAMP_LTZ(ms, 3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector'='upsert-kafka','topic'='rates-json','properties.bootstrap.servers'='${kafka}','properties.group.id'='lab-sql','key.format'='raw','value.format'='json','value.fields-include'='EXCEPT_KEY');
@sink s (k STRING, w TIMESTAMP(3), c BIGINT);
INSERT INTO s SELECT k, window_end, COUNT(*) FROM TABLE(TUMBLE(TABLE r, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end;
-- scenario: datagen-assigner
CREATE TABLE o (n INT, k AS CAST(MOD(n, 17) AS STRING), ts AS CAST(CURRENT_TIMESTAMP AS TIMESTAMP_LTZ(3)), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector'='datagen','rows-per-second'='40','fields.n.min'='0','fields.n.max'='1000');
@sink s (k STRING, w TIMESTAMP(3), c BIGINT);
INSERT INTO s SELECT k, window_end, COUNT(*) FROM TABLE(TUMBLE(TABLE o, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end;
-- scenario: statement-set
@kafka o skew 5;
@sink s (k STRING, w TIMESTAMP(3), c BIGINT);
@sink s2 (k STRING, ts TIMESTAMP_LTZ(3));
EXECUTE STATEMENT SET BEGIN INSERT INTO s SELECT k, window_end, COUNT(*) FROM TABLE(HOP(TABLE o, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end| INSERT INTO s2 SELECT k, ts FROM (SELECT k, ts, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) rn FROM o) WHERE rn = 1| END;
-- scenario: long-names
SET 'table.exec.simplify-operator-name-enabled'='false';
@kafka o silent3 5;
@sink s (k STRING, w TIMESTAMP(3), c BIGINT);
INSERT INTO s SELECT k, window_end, COUNT(*) FROM TABLE(TUMBLE(TABLE o, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end;
