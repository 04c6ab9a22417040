package policy

import (
	"strconv"

	"tidemark/analyze/catalog"
	"tidemark/analyze/facts"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM859", Cause: "parallelism-above-partitions", Title: "A source has more subtasks than the policy allows", Symptom: 1,
	Severity: catalog.Warning, Needs: catalog.Needs(asks("parallelism"), catalog.Or(catalog.SplitMetrics, catalog.KafkaOffsets, catalog.Named("the number of partitions in the policy")).Apart()),
	Means: "A source runs more subtasks than its topic has partitions (or than the policy's maximum). The ones without a split hold event time unless an idle timeout releases them, and they do nothing either way.",
	Why:   "Told before it hurts: triage names it only where a subtask without a split holds event time now (TM104). The number of partitions is counted from the splits that the subtasks show, or given in the policy.",
	Fix: catalog.Fix{
		Text:       "Lower the source's parallelism to the number of partitions.",
		DataStream: "env.fromSource(source, strategy, \"Orders\").setParallelism(partitions)",
		SQL:        "WITH ('scan.parallelism' = '<partitions>') -- 1.19+, where the connector has it",
	},
})

func (s scope) parallelism(p *Parallelism) {
	const code = "TM859"
	if p.AtMostPartitions != nil && p.AtMostPartitions.On {
		key, at := "parallelism.at-most-partitions", p.AtMostPartitions.At
		s.eachParallel(code, key, at, func(src facts.SourceFacts, sub Subject) {
			partitions, known := s.partitions(p, src)
			if !known {
				s.skip(code, key, at, sub, "how many partitions %s reads is not shown; write parallelism.partitions", quote(src.Name))
				return
			}
			s.compareParallelism(key, at, src, sub, partitions, strconv.Itoa(partitions)+" partitions")
		})
	}
	if p.Max != nil {
		s.eachParallel(code, "parallelism.max", p.Max.At, func(src facts.SourceFacts, sub Subject) {
			s.compareParallelism("parallelism.max", p.Max.At, src, sub, int(p.Max.N), "a maximum of "+strconv.FormatInt(p.Max.N, 10))
		})
	}
}

// eachParallel is eachSource where the source's parallelism is known; a script shows none.
func (s scope) eachParallel(code, key string, at Location, judge func(facts.SourceFacts, Subject)) {
	s.eachSource(code, key, at, func(src facts.SourceFacts, sub Subject) {
		if src.Parallelism == 0 {
			s.skip(code, key, at, sub, "the parallelism of %s is not shown before the job runs", quote(src.Name))
			return
		}
		judge(src, sub)
	})
}

// partitions is the number in the policy, that of the measured topic, or that of the splits shown.
func (s scope) partitions(p *Parallelism, src facts.SourceFacts) (int, bool) {
	if p.Partitions != nil {
		return int(p.Partitions.N), true
	}
	if src.SplitsKnown {
		return src.Splits, true
	}
	if d := s.rule.Delay; d != nil {
		if m, ok := s.in.Measured[d.Measured]; ok && m.Err == "" && m.Partitions > 0 {
			return m.Partitions, true
		}
	}
	return 0, false
}

func (s scope) compareParallelism(key string, at Location, src facts.SourceFacts, sub Subject, most int, what string) {
	if src.Parallelism > most {
		s.fail("TM859", key, at, sub, catalog.Certain, evidence(src.Name, "parallelism", strconv.Itoa(src.Parallelism)), "%s runs %d subtasks over %s", quote(src.Name), src.Parallelism, what)
		return
	}
	s.pass("TM859", key, at, sub, "%s runs %d subtasks over %s", quote(src.Name), src.Parallelism, what)
}
