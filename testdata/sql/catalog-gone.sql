-- A catalog that the gateway cannot create: its tables are judged as far as the text goes.
-- want: TM607 info at 9:36
-- want: TM608 critical at 9:36
-- ddl: TM604 info at 9:22
-- ddl: TM607 info at 9:36
-- ddl: TM608 critical at 9:36
CREATE CATALOG ice WITH ('type' = 'iceberg', 'catalog-type' = 'hadoop', 'warehouse' = 'file:/warehouse');
CREATE TABLE ice.db.dim (id INT, name STRING, opt TIMESTAMP(0), PRIMARY KEY (id) NOT ENFORCED);
CREATE TABLE dim_wm (WATERMARK FOR opt AS opt - INTERVAL '5' SECOND) LIKE ice.db.dim;
CREATE TABLE sink (k STRING, w TIMESTAMP(3), n BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO sink SELECT name, window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE dim_wm, DESCRIPTOR(opt), INTERVAL '1' HOUR)) GROUP BY name, window_start, window_end;
