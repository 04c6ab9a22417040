package gate

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"time"

	"tidemark/analyze/policy"
	"tidemark/request"
)

// places are where a policy writes the settings of a request.
type places map[string]written

// written is a key of a policy, with a place for each item of a list.
type written struct {
	key string
	at  []policy.Location
}

func (p places) at(setting string, at policy.Location) {
	p[setting] = written{setting, []policy.Location{at}}
}

// item is where an item of a setting stands, otherwise where there is none.
func (p places) item(setting string, i int, otherwise policy.Location) policy.Location {
	if list := p[setting].at; i < len(list) {
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

// mistake is what is wrong with a request, by the key and the place that the policy writes it at.
func (p places) mistake(what string, err error, otherwise policy.Location) policy.Error {
	var wrong *request.Mistake
	if errors.As(err, &wrong) {
		otherwise = p.of(wrong, otherwise)
		here := *wrong
		here.Setting = cmp.Or(p[wrong.Setting].key, wrong.Setting)
		err = &here
	}
	return policy.Error{At: otherwise, Text: what + ": " + request.Plain(err)}
}

// fill gives the settings of a request what a policy writes; renamed is the setting of a key with another
// name. Keys that are no setting are left to the caller. Files lie next to the policy.
func fill(req any, keys []policy.Setting, renamed map[string]string) (request.Given, places, error) {
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
			given[name], at[name] = true, written{k.Name, k.At} // brokers and the like
			continue
		}
		if given[s.Name] {
			at[k.Name] = written{k.Name, k.At}
			return given, at, request.Wrong(k.Name, "and %s say the same: keep one", at[s.Name].key)
		}
		given[s.Name], at[s.Name] = true, written{k.Name, k.At}
		assign(s, k)
	}
	return given, at, nil
}

func assign(s request.Setting, k policy.Setting) {
	switch into := s.Value.Addr().Interface().(type) {
	case *string:
		if d, ok := k.Value.(time.Duration); ok {
			*into = d.String()
			return
		}
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
