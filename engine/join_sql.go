package engine

// recordSQL follows TimeIntervalJoin.processElement: a record joins every kept row of the other
// side inside the interval, however late it is, but is kept only while a match from the other
// side is still possible.
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

// operatorTime is the current time of the SQL join: the watermark, but never below 0.
func (j *IntervalJoin) operatorTime() int64 { return max(j.watermark, 0) }

// reach is the largest distance (ms) of a later match from a row of a side.
func (j *IntervalJoin) reach(side int) int64 {
	_, upper := j.bounds(side)
	return upper
}

// expiry is the event time up to which rows of a side can be removed.
func (j *IntervalJoin) expiry(side int) int64 {
	if now := j.operatorTime(); now < End {
		return now - j.reach(side) - 1
	}
	return End
}

func (j *IntervalJoin) cleanupTimer(side int, ts int64) int64 {
	return ts + j.reach(side) + j.spec.CleanupMs + 1
}

// clearSQL fires a side's cleanup timer as often as the watermark allows: each firing removes the
// expired rows, and the earliest remaining row sets the next timer.
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
