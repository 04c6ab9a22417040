package cmd

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tidemark/flinkapi"
	"tidemark/request"
)

// argument makes the name of a value in the words of a setting one that pflag takes from them.
var argument = strings.NewReplacer("{", "`", "}", "`")

// bind adds a flag for each setting of a request, given by pointer; its value now is the default.
func bind(c *cobra.Command, r any) { bindTo(c, c.Flags(), r) }

func bindTo(c *cobra.Command, f *pflag.FlagSet, r any) {
	for _, s := range request.Settings(r) {
		name := s.Name
		bindOne(f, s, name, argument.Replace(s.Doc))
		if s.Alias != "" && f.Lookup(s.Alias) == nil { // of another request of the command
			formerly(c, f, name, s.Alias)
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
		f.VarP((*durationFlag)(into), name, s.Short, doc)
	case *[]time.Duration:
		f.VarP(&durationsFlag{into: into}, name, s.Short, doc)
	case *[]string:
		f.StringArrayVarP(into, name, s.Short, *into, doc)
	case *request.List:
		f.StringSliceVarP((*[]string)(into), name, s.Short, *into, doc)
	default:
		panic(fmt.Sprintf("no flag for a setting of type %T", into))
	}
}

// formerly keeps a former name of a flag.
func formerly(c *cobra.Command, f *pflag.FlagSet, name, former string) {
	alias := *f.Lookup(name)
	alias.Name, alias.Shorthand, alias.Hidden, alias.Usage = former, "", true, "the same as --"+name
	alias.Annotations = map[string][]string{aliasOf: {name}}
	f.AddFlag(&alias)
	c.MarkFlagsMutuallyExclusive(name, former)
}

// aliasOf is the annotation of a flag that is a former name of another.
const aliasOf = "tidemark_alias_of"

// said are the settings that the command line gives, by the names of settings.
func said(c *cobra.Command) request.Given {
	given := request.Given{}
	c.Flags().Visit(func(f *pflag.Flag) {
		name := f.Name
		if of := f.Annotations[aliasOf]; of != nil {
			name = of[0]
		}
		given[name] = true
	})
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

// steps shows what a reading waits for; done clears it.
func (g *globals) steps() (step func(string), done func()) {
	p := g.progress()
	return func(text string) { p.Show(flinkapi.Progress{Step: text}) }, p.Done
}
