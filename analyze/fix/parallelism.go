package fix

import (
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

// excess is for subtasks without a split.
func excess(s site) catalog.Fix {
	if fix, set := s.idleSet(); set && s.splits() > 0 {
		fix.Text += fmt.Sprintf(" Or lower the source's parallelism to its %s.", catalog.Plural(s.splits(), "split"))
		return s.withParallelism(fix, s.splits())
	}
	f := s.withParallelism(catalog.Fix{}, s.splits())
	ms := s.idleTimeout()
	f.Text = fmt.Sprintf("Lower the source's parallelism from %d to its %s, or set an idle timeout (%s).", len(s.source.Subtasks), catalog.Plural(s.splits(), "split"), units.Duration(ms))
	t := s.timeout(ms)
	f.DataStream += "\n// or, with the parallelism as it is:\n" + t.DataStream
	f.SQL += "\n-- or, with the parallelism as it is:\n" + t.SQL
	f.Try = t.Try
	return f
}

// withParallelism adds the code that sets the parallelism of the source.
func (s site) withParallelism(f catalog.Fix, n int) catalog.Fix {
	to := fmt.Sprint(n)
	if n == 0 {
		to = "partitions"
	}
	f.DataStream = fmt.Sprintf("env.fromSource(source, strategy, \"%s\").setParallelism(%s)", s.label(), to)
	if n == 0 {
		return f
	}
	f.SQL = fmt.Sprintf("SET 'parallelism.default' = '%d';", n)
	if t := table(s.source); t != "" && !s.below(1, 19) {
		f.SQL = fmt.Sprintf("-- where the connector has the option; else SET 'parallelism.default'\nALTER TABLE %s SET ('scan.parallelism' = '%d');", t, n)
	}
	return f
}

// lostSplit is for a subtask that keeps the watermark of a split that it no longer owns.
func lostSplit(s site) catalog.Fix {
	f := s.withParallelism(catalog.Fix{Text: "Restart from the last checkpoint, with no more source subtasks than splits."}, s.splits())
	if s.splits() > 0 {
		f.Text = fmt.Sprintf("Restart from the last checkpoint, with a source parallelism of at most %d, the number of its splits.", s.splits())
	}
	if s.connector() == "hybrid" {
		f.Text += " In a HybridSource the splits of the second source count."
	}
	return f
}

// endOfInput is for a watermark that has jumped to Watermark.MAX_WATERMARK, or is about to.
func endOfInput(s site) catalog.Fix {
	if s.found.Latent {
		n := 0
		for _, t := range s.source.Subtasks {
			if t.Status != "FINISHED" {
				n++
			}
		}
		return s.withParallelism(catalog.Fix{Text: fmt.Sprintf("Run the source with no more subtasks than it has splits (%d, not %d), so that none finishes.", n, len(s.source.Subtasks))}, n)
	}
	f := catalog.Fix{Text: "Restart from a state before the jump. A source that emits this watermark itself needs another version of its connector, or another generator."}
	if s.found.Issue == "" {
		return f
	}
	f.Text = "Restart from a state before the jump. Do not let all live inputs of this operator go idle: give them a longer idle timeout, or heartbeats."
	if v := liveInput(s.vertex); v != nil {
		of := site{job: s.job, vertex: s.vertex, source: v, found: s.found}
		ms := int64(300_000)
		if d, ok := s.job.Declared(v); ok {
			ms = max(ms, model.IdleTimeoutFor(d.IdleMs))
		}
		t := of.timeout(ms)
		f.DataStream, f.SQL = t.DataStream, t.SQL
	}
	return f
}

// liveInput is a source of v that still runs.
func liveInput(v *model.Vertex) *model.Vertex {
	if v == nil {
		return nil
	}
	for _, src := range v.SourcesOf() {
		if src.Status == "RUNNING" {
			return src
		}
	}
	return nil
}

// backlog is for a source that has not caught up.
func backlog(s site) catalog.Fix {
	n := s.splits()
	find, raise := "Wait if it catches up. Else find", "Wait if it catches up. Else raise"
	if s.found.Severity != catalog.Info { // it does not catch up
		find, raise = "Find", "Raise"
	}
	if s.source == nil || n == 0 || len(s.source.Subtasks) >= n {
		return textOnly(find + " the bottleneck: a source subtask without a split reads nothing.")
	}
	f := s.withParallelism(catalog.Fix{}, n)
	f.Text = fmt.Sprintf("%s the source's parallelism (now %d) to at most %d, the number of its splits, or find the bottleneck.", raise, len(s.source.Subtasks), n)
	return f
}

// slower is for a task that back-pressures its inputs.
func slower(s site) catalog.Fix {
	if s.vertex == nil {
		return catalog.Fix{}
	}
	n := 2 * max(len(s.vertex.Subtasks), 1)
	f := catalog.Fix{
		Text:       fmt.Sprintf("Give %s more parallelism (now %d) or make it faster (asynchronous I/O, a cache, batching). Unaligned checkpoints shorten the queue, not the work.", model.QuoteName(model.HeadName(s.vertex)), len(s.vertex.Subtasks)),
		DataStream: fmt.Sprintf("// at this operator\n.setParallelism(%d)\n// a lookup: AsyncDataStream.unorderedWait(…)", n),
		SQL:        fmt.Sprintf("SET 'parallelism.default' = '%d';", n),
	}
	if s.api() == beam {
		f.Text = "Make it faster, or raise the parallelism of the pipeline (--parallelism)."
	}
	return f
}

// stall is for an operator that holds its watermark back while it is busy.
func stall(s site) catalog.Fix {
	f := catalog.Fix{Text: "Give that operator more CPU or parallelism, and space checkpoints further apart until its backlog of timers is gone.",
		DataStream: "env.getCheckpointConfig().setCheckpointInterval(300_000);",
		SQL:        "SET 'execution.checkpointing.interval' = '5 min';"}
	if s.job.Version.AtLeast(1, 20, 0) {
		const option = "execution.checkpointing.unaligned.interruptible-timers.enabled"
		f.Text += " Where the job lets checkpoints interrupt its timers (" + option + ", off by default), switch that off."
		f.SQL += "\n-- where it is on\nSET '" + option + "' = 'false';"
		f.DataStream += "\n// where it is on\nconfiguration.setString(\"" + option + "\", \"false\");"
	}
	return f
}
