package fix_test

import (
	"strings"
	"testing"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/internal/jobtest"
)

// found is the finding of a code in a job, with its fix.
func found(t *testing.T, m *jobtest.Job, code string) catalog.Finding {
	t.Helper()
	for _, f := range analyze.Judge(m.Build()).Findings {
		if f.Code == code {
			return f
		}
	}
	t.Fatalf("no %s in %+v", code, analyze.Judge(m.Build()).Findings)
	return catalog.Finding{}
}

// scan is a table source of two partitions, one of which has never had a record, before a window.
func scan(version, text string) *jobtest.Job {
	m := jobtest.New(version).Uptime(600_000)
	m.Vertex("Source: trips[1]", "[1]:TableSourceScan(table=[[default_catalog, default_database, trips, "+text+"]], fields=[k, at])<br/>", 2)
	for i := range 2 {
		op := "Source__trips[1]"
		m.Gauge("Source: trips[1]", i, op+".numRecordsOut", []string{"5000", "0"}[i], []string{"5200", "0"}[i])
		mark := [2]string{jobtest.Mark(jobtest.At0 - 6000), jobtest.Mark(jobtest.At1 - 6000)}
		offset := [2]string{"4999", "5199"}
		if i == 1 {
			mark, offset = [2]string{jobtest.Mark(jobtest.NoMark), jobtest.Mark(jobtest.NoMark)}, [2]string{"-1", "-1"}
		}
		m.Gauge("Source: trips[1]", i, op+".currentOutputWatermark", mark[0], mark[1])
		m.Gauge("Source: trips[1]", i, op+".KafkaSourceReader.topic.trips.partition."+[]string{"0", "1"}[i]+".currentOffset", offset[0], offset[1])
	}
	m.Vertex("GlobalWindowAggregate[5]", "[5]:GlobalWindowAggregate(groupBy=[k], window=[TUMBLE(time_col=[at], size=[10 s])], select=[k])<br/>", 1, "Source: trips[1]|HASH")
	m.Gauge("GlobalWindowAggregate[5]", 0, "currentInputWatermark", jobtest.Mark(jobtest.NoMark), jobtest.Mark(jobtest.NoMark))
	m.Gauge("GlobalWindowAggregate[5]", 0, "numRecordsIn", "5000", "5200")
	return m
}

// The fix for a table names it, keeps its clause, and uses the option that the version has.
func TestFixOfATable(t *testing.T) {
	clause := "keeps WATERMARK FOR `at` AS `at` - INTERVAL '7' SECOND"
	for version, want := range map[string]string{"1.17.2": "SET 'table.exec.source.idle-timeout' = '10 s'", "1.20.3": "ALTER TABLE trips SET ('scan.watermark.idle-timeout' = '10 s')"} {
		f := found(t, scan(version, "watermark=[-(at, 7000:INTERVAL SECOND)]"), "TM102")
		if !strings.Contains(f.Fix.SQL, want) || !strings.Contains(f.Fix.SQL, clause) || f.Fix.DataStream != "" {
			t.Errorf("%s: %+v", version, f.Fix)
		}
		if version == "1.17.2" && strings.Contains(f.Fix.SQL, "scan.") {
			t.Errorf("an option of 1.18 in 1.17: %s", f.Fix.SQL)
		}
	}
}

// An idle timeout that is configured is not proposed.
func TestFixOfATimeoutThatIsSet(t *testing.T) {
	f := found(t, scan("1.20.3", "watermark=[-(at, 7000:INTERVAL SECOND)], idletimeout=[5000]"), "TM102")
	if !strings.HasPrefix(f.Fix.Text, "An idle timeout of 5 s is configured but not in effect: ") || f.Fix.SQL != "" {
		t.Errorf("%+v", f.Fix)
	}
	f = found(t, scan("1.20.3", "watermark=[-(at, 7000:INTERVAL SECOND)], idletimeout=[5000], watermarkEmitStrategy=[on-event]"), "TM102")
	if !strings.Contains(f.Fix.Text, "set on-periodic") {
		t.Errorf("%+v", f.Fix)
	}
}

// stream is a DataStream source of two subtasks, one of which has never had a record.
func stream(name string) *jobtest.Job {
	m := jobtest.New("2.3.0").Uptime(600_000).Source(name, 2500, -1)
	m.Emits(name, 0, jobtest.At0-2500, jobtest.At1-2500).Reads(name, 0, 5000, 5200).Split(name, 0, "trips-0", jobtest.At0-2500, jobtest.At1-2500)
	m.Emits(name, 1, jobtest.NoMark, jobtest.NoMark).Reads(name, 1, 0, 0).Split(name, 1, "trips-1", jobtest.NoMark, jobtest.NoMark)
	m.Gauge("Source: "+name, 0, jobtest.OpOf(name)+".currentEmitEventTimeLag", "500", "500")
	return m.Window(1, jobtest.NoMark, jobtest.NoMark, "Source: "+name)
}

// The fix keeps the delay inferred from gauges, and is in Beam's API for a Beam job.
func TestFixOfAStream(t *testing.T) {
	f := found(t, stream("Trips"), "TM102")
	if !strings.Contains(f.Fix.DataStream, "forBoundedOutOfOrderness(Duration.ofSeconds(2))\n    .withIdleness(Duration.ofSeconds(10))") || f.Fix.SQL != "" {
		t.Errorf("%+v", f.Fix)
	}
	f = found(t, stream("Read trips/KafkaIO.Read/Read(KafkaUnboundedSource)"), "TM102")
	if !strings.Contains(f.Fix.DataStream, "CustomTimestampPolicyWithLimitedDelay<>(record -> timeOf(record), Duration.standardSeconds(2), previous)") ||
		strings.Contains(f.Fix.DataStream+f.Fix.Text, "withIdleness") {
		t.Errorf("%+v", f.Fix)
	}
}

// A pattern takes late records to a side output, and has no allowed lateness.
func TestFixOfLateRecordsOfAPattern(t *testing.T) {
	m := jobtest.New("2.3.0").Source("Orders", 2000)
	m.Vertex("CepOperator", "CepOperator<br/>", 1, "Source: Orders|HASH").Passes("CepOperator", 0, "CepOperator", jobtest.At0-2000, jobtest.At1-2000, jobtest.At0-2000, jobtest.At1-2000)
	m.Gauge("CepOperator", 0, "CepOperator.numLateRecordsDropped", "0", "500").Gauge("CepOperator", 0, "CepOperator.numRecordsIn", "1000", "2000")
	f := found(t, m, "TM401").Fix
	if strings.Contains(f.DataStream, "allowedLateness") || !strings.Contains(f.DataStream, "patternStream.sideOutputLateData(lateTag)") || strings.Contains(f.Text, "allow lateness") {
		t.Errorf("%s\n%s", f.Text, f.DataStream)
	}
}
