package decode

import (
	"fmt"
	"time"

	"github.com/tidwall/gjson"

	"tidemark/kafkastats/eventtime"
)

// toTime converts what the formats return: text, numbers, times.
func toTime(v any, unit eventtime.Unit, zone *time.Location) (eventtime.Time, error) {
	number := func(n int64) (eventtime.Time, error) {
		ms, used := eventtime.Millis(n, unit)
		return eventtime.Time{Ms: ms, Unit: used, Zoned: true, Number: true}, nil
	}
	switch v := v.(type) {
	case nil:
		return eventtime.Time{}, errMissing
	case eventtime.Time:
		return v, nil
	case localTime:
		return v.in(zone), nil
	case time.Time:
		return eventtime.Time{Ms: v.UnixMilli(), Unit: eventtime.Milli, Zoned: true, Number: true}, nil
	case gjson.Result:
		switch v.Type {
		case gjson.Number:
			return eventtime.Parse(v.Raw, unit, zone)
		case gjson.String:
			return eventtime.Parse(v.Str, unit, zone)
		case gjson.Null:
			return eventtime.Time{}, errMissing
		}
		return eventtime.Time{}, fmt.Errorf("a JSON value of type %s is not a time", v.Type)
	case string:
		return eventtime.Parse(v, unit, zone)
	case []byte:
		return eventtime.Parse(string(v), unit, zone)
	case int32:
		return number(int64(v))
	case int64:
		return number(v)
	case int:
		return number(int64(v))
	case uint32:
		return number(int64(v))
	case uint64:
		return number(int64(min(v, 1<<63-1)))
	case float32, float64:
		return eventtime.Parse(fmt.Sprint(v), unit, zone)
	}
	return eventtime.Time{}, fmt.Errorf("a %T is not a time", v)
}
