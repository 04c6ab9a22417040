package checks

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tidemark/analyze/lag"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
	"tidemark/internal/units"
)

// Evidence of the known bugs: each looks for what the bug leaves in the gauges of a job.

func stalledAlignment(j *model.Job) (*model.Vertex, string, bool) {
	for _, f := range runAlignmentStall(j) {
		return j.Vertex(f.Vertex.ID), f.Summary, true
	}
	return nil, "", false
}

// deadlockedAlignment finds a group whose every member is ahead of the announced maximum and stands: no
// silent or slow member holds it, which is what an ordinary stall shows.
func deadlockedAlignment(j *model.Job) (*model.Vertex, string, bool) {
	members := j.AlignedSubtasks()
	for _, s := range members {
		if _, drift, ok := model.DriftOf(s); !ok || drift <= 0 || !s.SourceOut().Frozen() {
			return nil, "", false
		}
	}
	for _, v := range j.Sources() {
		for _, s := range v.Subtasks {
			if _, aligned := s.AlignmentDrift.Value(); !aligned && s.Status != "FINISHED" && len(members) > 0 && (s.SourceOut().IsNone() || s.SourceOut().Frozen()) {
				return nil, "", false // it may be the member that the group waits for
			}
		}
	}
	if len(members) == 0 {
		return nil, "", false
	}
	return members[0].Vertex, fmt.Sprintf("all %d members of the group stand and are ahead of the announced maximum", len(members)), true
}

// idleBelowNewest finds a source that is silent as a whole, and keeps less than its newest split has emitted, by which
// a window would be due.
func idleBelowNewest(j *model.Job) (*model.Vertex, string, bool) {
	for _, v := range j.Sources() {
		if s, newest, ok := keptBelow(j, v); ok {
			return v, fmt.Sprintf("all splits of subtask %d are idle; it emitted %s, and the newest of them is at %s", s.Index, s.Out().Now, newest), true
		}
	}
	return nil, "", false
}

// keptBelow finds a subtask that its consumers wait for, all of whose splits are idle, below the newest of them by the
// end of a window.
func keptBelow(j *model.Job, v *model.Vertex) (held *model.Subtask, newest flinkapi.Watermark, ok bool) {
	if quiet, known := v.AllQuiet(); !known || !quiet {
		return nil, newest, false // the others carry event time on
	}
	for _, s := range v.Subtasks {
		newest = flinkapi.AbsentWatermark()
		idle := len(s.ActiveSplits()) > 1
		for _, sp := range s.ActiveSplits() {
			is, known := sp.Idle()
			idle = idle && known && is
			newest = flinkapi.MaxWatermark(newest, sp.Watermark.Now)
		}
		if out := s.Out(); idle && out.Now.IsKnown() && newest.IsKnown() && out.Now.Before(newest) && j.Holds(s, out) && windowBetween(v, out.Now, newest) {
			return s, newest, true
		}
	}
	return nil, newest, false
}

// windowBetween reports that a window behind v ends between two watermarks; where no plan tells of one they must be
// further apart than a lag needs a reason for.
func windowBetween(v *model.Vertex, from, to flinkapi.Watermark) bool {
	a, _ := from.Millis()
	b, _ := to.Millis()
	sized := false
	for _, u := range append([]*model.Vertex{v}, v.Descendants()...) {
		for _, op := range u.Chain {
			if size, ok := model.WindowStepOf(op.Text); ok && op.Kind.UsesEventTime() {
				if (b+1)/size > (a+1)/size {
					return true
				}
				sized = true
			}
		}
	}
	return !sized && b-a > lag.LimitMs
}

func stalledAfterFailover(j *model.Job) (*model.Vertex, string, bool) {
	v, text, ok := stalledAlignment(j)
	total, _ := j.Restarts.Value()
	return v, fmt.Sprintf("%s; %s restarts", text, units.Number(total)), ok && total > 0
}

// eachSplit finds the first split that shows something.
func eachSplit(j *model.Job, shows func(*model.Split) (string, bool)) (*model.Vertex, string, bool) {
	for _, v := range j.Sources() {
		for _, s := range v.Subtasks {
			for _, sp := range s.ActiveSplits() {
				if text, ok := shows(sp); ok {
					return v, fmt.Sprintf("split %s of subtask %d: %s", sp.ID, s.Index, text), true
				}
			}
		}
	}
	return nil, "", false
}

func pausedThenIdle(j *model.Job) (*model.Vertex, string, bool) {
	return eachSplit(j, func(sp *model.Split) (string, bool) {
		rate, _ := sp.IdleRate.Value()
		paused, _ := sp.PausedMs.Value()
		pending, ok := sp.Subtask.Pending.Value()
		quiet, known := sp.Quiet()
		return fmt.Sprintf("idle %.0f ms/s, paused for %.0f ms before, %s records pending", rate, paused, units.Number(pending)),
			rate >= 900 && paused > 0 && ok && pending > 0 && known && quiet
	})
}

func idleAndPaused(j *model.Job) (*model.Vertex, string, bool) {
	return eachSplit(j, func(sp *model.Split) (string, bool) {
		idle, okIdle := sp.IdleRate.Value()
		paused, okPaused := sp.PausedRate.Value()
		return fmt.Sprintf("idle %.0f ms/s and paused %.0f ms/s at once", idle, paused), okIdle && okPaused && idle > 0 && paused > 0
	})
}

func idlenessUnderPressure(j *model.Job) (*model.Vertex, string, bool) {
	for _, v := range j.Sources() {
		d, ok := j.Declared(v)
		if back := model.WorstBackpressure(v); ok && d.IdleMs > 0 && back >= 100 {
			return v, fmt.Sprintf("idle timeout %s, source backpressured %s", units.Duration(d.IdleMs), units.Share(back/1000)), true
		}
	}
	return nil, "", false
}

func alignedSingleSplit(j *model.Job) (*model.Vertex, string, bool) {
	for _, s := range j.AlignedSubtasks() {
		if len(s.ActiveSplits()) == 1 {
			return s.Vertex, fmt.Sprintf("subtask %d is aligned and reads one split", s.Index), true
		}
	}
	return nil, "", false
}

func assignerWithTimeout(j *model.Job) (*model.Vertex, string, bool) {
	idle, err := units.ParseFlinkDuration(j.Config["table.exec.source.idle-timeout"])
	if err != nil || idle == 0 {
		return nil, "", false
	}
	v, name, ok := firstAssigner(j)
	return v, fmt.Sprintf("%s with table.exec.source.idle-timeout = %s", name, units.Duration(idle.Milliseconds())), ok
}

// assignerMayTimeOut finds an assigner of SQL whose idle timeout the cluster does not tell.
func assignerMayTimeOut(j *model.Job) (*model.Vertex, string, bool) {
	if _, _, told := assignerWithTimeout(j); told {
		return nil, "", false
	}
	v, name, ok := firstAssigner(j)
	return v, name + " assigns the watermarks", ok
}

// firstAssigner is the first operator of SQL that assigns watermarks, its name quoted.
func firstAssigner(j *model.Job) (*model.Vertex, string, bool) {
	for _, v := range j.Vertices {
		for _, op := range v.Chain {
			if strings.HasPrefix(op.Text, "WatermarkAssigner(") {
				return v, model.QuoteName(op.Name), true
			}
		}
	}
	return nil, "", false
}

func pushedDownPeriodic(j *model.Job) (*model.Vertex, string, bool) {
	for _, v := range j.Sources() {
		if d, ok := j.Declared(v); ok && d.IdleKnown && !d.OnEvent && !d.Source {
			return v, "watermark pushed into the scan, emitted periodically", true
		}
	}
	return nil, "", false
}

func restoredSilentSplit(j *model.Job) (*model.Vertex, string, bool) {
	c := j.Now.Checkpoints
	if c == nil || c.Latest.Restored == nil {
		return nil, "", false
	}
	return eachSplit(j, func(sp *model.Split) (string, bool) {
		off, ok := sp.Offset.Value()
		return "no record since the restore", ok && off < 0
	})
}

func finishedBesideIdle(j *model.Job) (*model.Vertex, string, bool) {
	for _, v := range j.Vertices {
		finished, idle := false, false
		for _, e := range v.In {
			finished = finished || e.From.Status == "FINISHED"
			for _, s := range e.From.Subtasks {
				for _, sp := range s.ActiveSplits() {
					spent, ok := sp.IdleMs.Value()
					idle = idle || ok && spent > 0
				}
			}
		}
		if finished && idle {
			return v, "one input has finished, another has been idle before", true
		}
	}
	return nil, "", false
}

func hybridSource(j *model.Job) (*model.Vertex, string, bool) {
	for _, v := range j.Sources() {
		if strings.Contains(v.Name, "HybridSource") && v.NamesSplits() {
			for _, s := range v.Subtasks {
				if len(s.ActiveSplits()) == 0 && s.Out().Now.IsKnown() {
					return v, fmt.Sprintf("subtask %d has no split and stands at %s", s.Index, s.Out().Now), true
				}
			}
		}
	}
	return nil, "", false
}

func usesAlignment(j *model.Job) (*model.Vertex, string, bool) {
	for _, s := range j.AlignedSubtasks() {
		return s.Vertex, fmt.Sprintf("subtask %d shows watermarkAlignmentDrift", s.Index), true
	}
	return nil, "", false
}

func alignedFinished(j *model.Job) (*model.Vertex, string, bool) {
	for _, s := range j.AlignedSubtasks() {
		for _, o := range s.Vertex.Subtasks {
			if o.Status == "FINISHED" {
				return s.Vertex, fmt.Sprintf("subtask %d has finished, subtask %d is aligned", o.Index, s.Index), true
			}
		}
	}
	return nil, "", false
}

func hopAfterRestore(j *model.Job) (*model.Vertex, string, bool) {
	c := j.Now.Checkpoints
	if c == nil || c.Latest.Restored == nil || j.UptimeMs > model.RecentMs {
		return nil, "", false
	}
	for _, v := range j.Vertices {
		for _, op := range v.Chain {
			if strings.Contains(op.Text, "window=[HOP(") {
				return v, model.QuoteName(op.Name) + " is a HOP window, restored " + units.Duration(j.NowMs-c.Latest.Restored.RestoreTimestamp) + " ago", true
			}
		}
	}
	return nil, "", false
}

// resumedBelow finds a source subtask that reads, was idle before, and whose records are older than
// the watermark it emitted last, so that neither it nor its splits move.
func resumedBelow(j *model.Job) (*model.Vertex, string, bool) {
	for _, v := range j.Sources() {
		for _, s := range v.Subtasks {
			rise, ok := s.Records.Rise()
			out := s.SourceOut()
			age, seen := s.EmitLag.Value()
			lag, known := j.Lag(v, out)
			if !ok || rise == 0 || !out.Frozen() || !known || len(s.ActiveSplits()) == 0 || v.IsSQLScan() || !seen || age <= float64(lag) {
				continue
			}
			was := true
			for _, sp := range s.ActiveSplits() {
				spent, told := sp.IdleMs.Value()
				idle, _ := sp.Idle()
				was = was && told && spent > 0 && !idle && !model.MovedCertainly(sp.Watermark)
			}
			if was {
				return v, fmt.Sprintf("subtask %d read %s records that are %s old, older than %s, which it emitted before it was idle", s.Index, units.Number(rise), units.Duration(int64(age)), out.Now), true
			}
		}
	}
	return nil, "", false
}

// valveStalls finds a one-input task whose input stands still while every sender moves well past
// it, and nobody is busy enough to explain a queue.
func valveStalls(j *model.Job) (*model.Vertex, string, bool) {
	for _, v := range j.Vertices {
		trail, from, ok := lag.QueueLag(v)
		if !ok || len(v.In) != 1 || trail < model.QueueMinMs || !v.MinIn().Frozen() || model.Slowest(v) != nil {
			continue
		}
		rise, flows := v.Records().Rise()
		sent, _ := from.MinOut().Before.Millis()
		if taken, known := v.MinIn().Before.Millis(); !known || sent-taken < model.QueueMinMs {
			continue // what came with the last emission is on its way
		}
		if model.MovedCertainly(from.MinOut()) && flows && rise > 0 && model.WorstBusy(v) < 300 {
			return v, fmt.Sprintf("input of %s stands at %s, %s behind what %s sends", model.QuoteName(v.Name), v.MinIn().Now, units.Duration(trail), model.QuoteName(from.Name)), true
		}
	}
	return nil, "", false
}

// idleAtTheEnd finds a job that has ended by itself or was drained, a source of which had only idle splits when
// its metrics were read last (2.1+).
func idleAtTheEnd(j *model.Job) (*model.Vertex, string, bool) {
	if j.State != "FINISHED" {
		return nil, "", false
	}
	for _, v := range j.Sources() {
		rates := lastSeen(j, v, ".watermark.idleTimeMsPerSecond")
		awake := slices.ContainsFunc(rates, func(rate string) bool {
			ms, err := strconv.ParseFloat(rate, 64)
			return err != nil || ms < 900
		})
		if len(rates) > 0 && !awake && v.EventTimeUse() == model.UseYes && !slices.Contains(lastSeen(j, v, ".currentOutputWatermark"), endOfInput) {
			return v, fmt.Sprintf("all %d of its splits were idle when it was seen last", len(rates)), true
		}
	}
	return nil, "", false
}

// interruptedAtTheEnd finds a job that has ended, one of whose operators had fired timers and was at end of input
// while what it passed on last was not.
func interruptedAtTheEnd(j *model.Job) (*model.Vertex, string, bool) {
	const option = "execution.checkpointing.unaligned.interruptible-timers.enabled"
	if j.State != "FINISHED" || j.Config[option] == "false" || j.Now.CheckpointConfig == nil || !j.Now.CheckpointConfig.Unaligned {
		return nil, "", false
	}
	for _, v := range j.Vertices {
		fired := slices.ContainsFunc(lastSeen(j, v, ".numFiredTimers"), func(n string) bool { return n != "0" })
		out := lastSeen(j, v, ".currentOutputWatermark")
		if fired && v.Head() != nil && v.Head().Kind.UsesEventTime() && slices.Contains(lastSeen(j, v, ".currentInputWatermark"), endOfInput) &&
			len(out) > 0 && !slices.Contains(out, endOfInput) {
			return v, model.QuoteName(v.Name) + " was at end of input, and had not passed it on when it was seen last", true
		}
	}
	return nil, "", false
}
