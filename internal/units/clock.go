package units

import "time"

// Clock writes the time of day of epoch milliseconds, in UTC: "15:04:05".
func Clock(ms int64) string { return utc(ms).Format(time.TimeOnly) }

// ClockMillis is Clock with milliseconds, as a watermark is read: "15:04:05.000".
func ClockMillis(ms int64) string { return utc(ms).Format("15:04:05.000") }

// DayClock writes day and time of day in UTC: "2006-01-02 15:04:05".
func DayClock(ms int64) string { return utc(ms).Format(time.DateTime) }

// MonthClock is short for an axis or a small box, where the year is known: "01-02 15:04".
func MonthClock(ms int64) string { return utc(ms).Format("01-02 15:04") }

// Day writes the day in UTC: "2006-01-02".
func Day(ms int64) string { return utc(ms).Format(time.DateOnly) }

// ClockSeenFrom writes the time of day where it is on the day of now (both epoch ms), else the day too: a time of
// another day must not look like one of today.
func ClockSeenFrom(ms, now int64) string {
	if Day(ms) == Day(now) {
		return Clock(ms)
	}
	return DayClock(ms)
}

func utc(ms int64) time.Time { return time.UnixMilli(ms).UTC() }
