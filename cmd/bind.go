package cmd

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tidemark/request"
)

// bind adds a flag for each setting of a request, given by pointer; its value now is the default. A name
// in renamed stands in place of the setting's own.
func bind(c *cobra.Command, r any, renamed map[string]string) {
	f := c.Flags()
	for _, s := range request.Settings(r) {
		name := s.Name
		if other, ok := renamed[name]; ok {
			name = other
		}
		bindOne(f, s, name, strings.NewReplacer("{", "`", "}", "`").Replace(s.Doc))
		if s.Alias != "" {
			bindOne(f, s, s.Alias, "the same as --"+name)
			f.Lookup(s.Alias).Hidden = true
		}
		if s.Words != nil {
			fixed(c, name, s.Words...)
		}
	}
}

func bindOne(f *pflag.FlagSet, s request.Setting, name, doc string) {
	switch into := s.Value.Addr().Interface().(type) {
	case *string:
		f.StringVarP(into, name, s.Short, *into, doc)
	case *bool:
		f.BoolVarP(into, name, s.Short, *into, doc)
	case *int:
		f.IntVarP(into, name, s.Short, *into, doc)
	case *int64:
		f.Int64VarP(into, name, s.Short, *into, doc)
	case *time.Duration:
		f.DurationVarP(into, name, s.Short, *into, doc)
	case *[]time.Duration:
		f.DurationSliceVarP(into, name, s.Short, *into, doc)
	case *[]string:
		f.StringArrayVarP(into, name, s.Short, *into, doc)
	case *commaList:
		f.StringSliceVarP((*[]string)(into), name, s.Short, *into, doc)
	default:
		panic(fmt.Sprintf("no flag for a setting of type %T", into))
	}
}

// commaList is a list whose flag may also hold several values with commas.
type commaList []string

// said are the settings that the command line gives, by the names of the settings of r.
func said(c *cobra.Command, r any, renamed map[string]string) request.Given {
	given := request.Given{}
	c.Flags().Visit(func(f *pflag.Flag) { given[f.Name] = true })
	for setting, flag := range renamed {
		given[setting] = given[flag]
	}
	for _, s := range request.Settings(r) {
		if s.Alias != "" && given[s.Alias] {
			given[s.Name] = true
		}
	}
	return given
}

// process is the process as requests see it.
func (g *globals) process() request.Process {
	return request.Process{In: g.In, Now: g.Now, Getenv: g.Getenv,
		Note:   func(line string) { g.notef("%s", line) },
		Detail: func(line string) { g.detailf("%s", line) },
		Step:   func(string) {},
	}
}
