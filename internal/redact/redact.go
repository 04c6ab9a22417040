// Package redact hides credentials in foreign text: exception texts, plans, names of jobs and
// operators as a cluster reports them.
package redact

import (
	"reflect"
	"regexp"
	"strings"
)

// rule replaces what matches; a text without any of its hints cannot match.
type rule struct {
	hints []string // lower case
	match *regexp.Regexp
	with  string
}

// value is quoted or not; what sticks to the end of a quoted one is part of it.
const value = `((?:\\+".*?\\+"|\\+'.*?\\+'|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.|'')*')[^\s'",;&(){}\[\]<>|]*|[^\s'",;&(){}\[\]<>|]+)`

var rules = []rule{
	// A URL's user and password, also as an operator name spells it inside a metric id.
	{[]string{"//"}, regexp.MustCompile(`//[^\s/@'"<>]+@`), "//***@"},
	{[]string{"jsessionid"}, regexp.MustCompile(`(?i)(jsessionid=)[^\s?#&;'"<>/]+`), "${1}***"},
	{[]string{"bearer ", "basic "}, regexp.MustCompile(`(?i)\b(bearer|basic)(\s+)[A-Za-z0-9+/_.~=-]{8,}`), "${1}${2}***"},
	// password=…, 'properties.ssl.keystore.password' = '…', "client_secret": "…"
	{[]string{"passw", "pwd", "passphrase", "secret", "credential", "api-key", "api_key", "apikey", "access-key", "access_key", "access.key", "accesskey", "account-key", "account.key", "accountkey"},
		regexp.MustCompile(`(?i)((?:passwor[dt]|passwd|pwd|passphrase|secret|credentials?|api[-_]?key|(?:access|account)[-_.]?key)[\w.-]*['"]?\s*(?:=>|[=:])\s*)` + value), "${1}***"},
	{[]string{"authorization"}, regexp.MustCompile(`(?i)(\bauthorization['"]?\s*[=:]\s*['"]?)[^'"\n]+`), "${1}***"},
	// Token is also a word of parsers: it counts only as a key with =, quoted, or as part of a
	// compound.
	{[]string{"token"}, regexp.MustCompile(`(?i)((?:[\w-]+[-_.]token|['"]token)['"]?\s*[=:]\s*|\btoken\s*=\s*)` + value), "${1}***"},
	{[]string{"akia", "asia"}, regexp.MustCompile(`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`), "***"},
	{[]string{"eyj"}, regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`), "***"},
}

// fileLine is a place in a file whose name resembles a key: secrets.yaml:4:5.
var fileLine = regexp.MustCompile(`\.\w+:\d+(:\d+)?:?$`)

// Text is s with what looks like a credential replaced by ***.
func Text(s string) string {
	if len(s) < 6 {
		return s
	}
	lower := strings.ToLower(s)
	for _, r := range rules {
		for _, h := range r.hints {
			if strings.Contains(lower, h) {
				s = r.match.ReplaceAllStringFunc(s, func(hit string) string {
					if fileLine.MatchString(hit) {
						return hit
					}
					return r.match.ReplaceAllString(hit, r.with)
				})
				break
			}
		}
	}
	return s
}

// All redacts every string that p points at: fields, elements, values of maps. Keys stay.
func All(p any) { walk(reflect.ValueOf(p)) }

func walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			walk(v.Elem())
		}
	case reflect.String:
		if v.CanSet() {
			if s := v.String(); s != "" {
				if r := Text(s); r != s {
					v.SetString(r)
				}
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				walk(v.Field(i))
			}
		}
	case reflect.Slice, reflect.Array:
		switch v.Type().Elem().Kind() {
		case reflect.Int, reflect.Int64, reflect.Float64, reflect.Uint8, reflect.Bool:
			return
		}
		for i := range v.Len() {
			walk(v.Index(i))
		}
	case reflect.Map:
		if v.Type().Elem().Kind() == reflect.String {
			for _, k := range v.MapKeys() {
				if s := v.MapIndex(k); Text(s.String()) != s.String() {
					v.SetMapIndex(k, reflect.ValueOf(Text(s.String())).Convert(v.Type().Elem()))
				}
			}
		}
	}
}
