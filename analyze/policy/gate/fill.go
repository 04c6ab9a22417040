package gate

import (
	"fmt"
	"reflect"
	"time"

	"tidemark/analyze/policy"
	"tidemark/request"
)

// places are where a policy writes the settings of a request, one for each item of a list.
type places map[string][]policy.Location

func (p places) at(setting string, at policy.Location) { p[setting] = []policy.Location{at} }

// item is where an item of a setting stands, otherwise where there is none.
func (p places) item(setting string, i int, otherwise policy.Location) policy.Location {
	if list := p[setting]; i < len(list) {
		return list[i]
	}
	return otherwise
}

// of is where the setting of a mistake stands, or the strategy that it is of.
func (p places) of(m *request.Mistake, otherwise policy.Location) policy.Location {
	if m.In != "" {
		otherwise = p.item("strategy", 0, otherwise)
	}
	return p.item(m.Setting, m.Item, otherwise)
}

// fill gives the settings of a request what a policy writes; renamed is the setting of a key with another
// name. Keys that are no setting are left to the caller. Files lie beside the policy.
func fill(req any, keys []policy.Setting, renamed map[string]string) (request.Given, places) {
	settings := map[string]request.Setting{}
	for _, s := range request.Settings(req) {
		settings[s.Name] = s
		if s.Alias != "" {
			settings[s.Alias] = s
		}
	}
	given, at := request.Given{}, places{}
	for _, k := range keys {
		name := k.Name
		if other, ok := renamed[name]; ok {
			name = other
		}
		s, ok := settings[name]
		if !ok {
			given[name], at[name] = true, k.At // brokers and the like
			continue
		}
		given[s.Name], at[s.Name] = true, k.At
		assign(s, k)
	}
	return given, at
}

func assign(s request.Setting, k policy.Setting) {
	switch into := s.Value.Addr().Interface().(type) {
	case *string:
		*into = k.Value.(string)
		if s.File && *into != "-" {
			*into = beside(k.At[0], *into)
		}
	case *bool:
		*into = k.Value.(bool)
	case *int:
		*into = int(min(k.Value.(int64), 1<<31))
	case *int64:
		*into = k.Value.(int64)
	case *time.Duration:
		*into = k.Value.(time.Duration)
	case *[]string, *request.List:
		list := reflect.Indirect(reflect.ValueOf(into))
		for i, text := range k.Value.([]string) {
			if s.File {
				text = beside(k.At[i], text)
			}
			list.Set(reflect.Append(list, reflect.ValueOf(text)))
		}
	default:
		panic(fmt.Sprintf("no key for a setting of type %T", into))
	}
}
