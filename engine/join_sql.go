package engine

// recordSQL follows TimeIntervalJoin.processElement: a record meets every kept
// row of the other side inside the interval, however late it is, and is kept
// itself only while the other side may still bring a partner.
func (j *IntervalJoin) recordSQL(side int, key, ts int64) {
	lower, upper := j.bounds(side)
	other := 1 - side
	if j.expired[other] < ts+upper {
		j.expired[other] = j.expiry(other)
		j.match(side, key, ts, lower, upper)
		if rows := j.state[other][key]; rows != nil {
			limit := j.expired[other]
			rows.drop(func(t int64) bool { return t <= limit })
		}
	}
	if j.operatorTime() >= ts+upper {
		j.late++
		return
	}
	rows := j.keep(side, key, ts)
	if !rows.timed {
		rows.timer, rows.timed = j.cleanupTimer(side, ts), true
	}
}

// operatorTime is the SQL join's notion of now: never below 0.
func (j *IntervalJoin) operatorTime() int64 { return max(j.watermark, 0) }

// reach is how far after a row of a side its last partner may lie.
func (j *IntervalJoin) reach(side int) int64 {
	_, upper := j.bounds(side)
	return upper
}

// expiry is the event time up to which rows of a side can go.
func (j *IntervalJoin) expiry(side int) int64 {
	if now := j.operatorTime(); now < End {
		return now - j.reach(side) - 1
	}
	return End
}

func (j *IntervalJoin) cleanupTimer(side int, ts int64) int64 {
	return ts + j.reach(side) + j.spec.CleanupMs + 1
}

// clearSQL fires a side's cleanup timer as often as the watermark allows: each
// time the rows that expired go and the earliest that stays sets the next timer.
func (j *IntervalJoin) clearSQL(side int, rows *joinRows) {
	for rows.timed && rows.timer <= j.watermark {
		limit := j.expiry(side)
		j.expired[side] = limit
		rows.drop(func(t int64) bool { return t <= limit })
		rows.timed = false
		for _, t := range rows.times {
			if t > 0 {
				rows.timer, rows.timed = j.cleanupTimer(side, t), true
				break
			}
		}
		if !rows.timed {
			rows.times = rows.times[:0]
		}
	}
}
