package engine

// Task runs in a subtask. It receives records and, as an Output, the combined watermark and
// status of its inputs.
type Task interface {
	Output
	Record(input int, key, ts int64) error
}

// timedTask has a processing-time timer.
type timedTask interface {
	AdvanceTo(now int64) error
	NextTimer() int64
}

// timelessTask is a timedTask that may have no timer after all, so that it is not asked at every
// step.
type timelessTask interface{ Timeless() bool }

// Context is what a factory builds a task from. Emit sends a record downstream, Out a watermark
// or status.
type Context struct {
	Behaviour Behaviour
	Version   Version
	StartMs   int64
	Subtask   int
	Out       Output
	Emit      func(key, ts int64)
	Now       func() int64 // the job's clock, ms
}

// Factory builds the task of one subtask.
type Factory func(Context) (Task, error)

type passTask struct {
	Context
	onRecord func(subtask int, key, ts int64)
}

// Pass forwards everything: a map, filter, union or sink. onRecord may be nil.
func Pass(onRecord func(subtask int, key, ts int64)) Factory {
	return func(c Context) (Task, error) { return &passTask{c, onRecord}, nil }
}

func (t *passTask) EmitWatermark(ts int64) { t.Out.EmitWatermark(ts) }
func (t *passTask) EmitStatus(idle bool)   { t.Out.EmitStatus(idle) }
func (t *passTask) Record(_ int, key, ts int64) error {
	if t.onRecord != nil {
		t.onRecord(t.Subtask, key, ts)
	}
	t.Emit(key, ts)
	return nil
}

type miniBatchTask struct {
	*MiniBatch
	emit func(key, ts int64)
}

// MiniBatches is a rowtime MiniBatchAssigner.
func MiniBatches(intervalMs int64) Factory {
	return func(c Context) (Task, error) {
		m, err := NewMiniBatch(intervalMs, c.Out)
		return miniBatchTask{m, c.Emit}, err
	}
}

func (t miniBatchTask) Record(_ int, key, ts int64) error {
	t.emit(key, ts)
	return nil
}

type assignerTask struct {
	*Assigner
	emit func(key, ts int64)
}

// Assigners is assignTimestampsAndWatermarks behind another operator.
func Assigners(s Strategy) Factory {
	return func(c Context) (Task, error) {
		a, err := NewAssigner(s, c.Version, c.StartMs, c.Out)
		return assignerTask{a, c.Emit}, err
	}
}

// NextTimer is the clock of the next periodic emission.
func (t assignerTask) NextTimer() int64 { return t.nextProbe }

func (t assignerTask) Record(_ int, key, ts int64) error {
	t.emit(key, ts)
	t.Assigner.Record(ts)
	return nil
}

type sqlAssignerTask struct {
	*SQLAssigner
	emit func(key, ts int64)
}

// SQLAssigners is a SQL WatermarkAssigner behind a scan.
func SQLAssigners(s Strategy) Factory {
	return func(c Context) (Task, error) {
		a, err := NewSQLAssigner(s, c.Version, c.StartMs, c.Out)
		return sqlAssignerTask{a, c.Emit}, err
	}
}

// NextTimer is the clock of the next emission or idleness check.
func (t sqlAssignerTask) NextTimer() int64 { return t.next }

func (t sqlAssignerTask) Record(_ int, key, ts int64) error {
	t.Before()
	t.emit(key, ts)
	t.After(ts)
	return nil
}
