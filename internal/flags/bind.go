// Package flags makes the flags of commands from the settings of requests, and says what is wrong with one.
package flags

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tidemark/request"
)

// argument makes the name of a value in the words of a setting one that pflag takes from them.
var argument = strings.NewReplacer("{", "`", "}", "`")

// Bind adds a flag for each setting of a request, given by pointer; its value now is the default.
func Bind(c *cobra.Command, r any) { BindTo(c, c.Flags(), r) }

// BindTo is Bind for a set of flags of the command.
func BindTo(c *cobra.Command, f *pflag.FlagSet, r any) {
	for _, s := range request.Settings(r) {
		name := s.Name
		bindOne(f, s, name, argument.Replace(s.Doc))
		if s.Alias != "" && f.Lookup(s.Alias) == nil { // of another request of the command
			Formerly(c, f, name, s.Alias)
		}
		if s.Words != nil {
			Fixed(c, name, s.Words...)
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
	case *float64:
		f.VarP((*shareFlag)(into), name, s.Short, doc)
	case *[]string:
		f.StringArrayVarP(into, name, s.Short, *into, doc)
	case *request.List:
		f.StringSliceVarP((*[]string)(into), name, s.Short, *into, doc)
	default:
		panic(fmt.Sprintf("no flag for a setting of type %T", into))
	}
}

// Formerly keeps a former name of a flag.
func Formerly(c *cobra.Command, f *pflag.FlagSet, name, former string) {
	alias := *f.Lookup(name)
	alias.Name, alias.Shorthand, alias.Hidden, alias.Usage = former, "", true, "the same as --"+name
	alias.Annotations = map[string][]string{aliasOf: {name}}
	f.AddFlag(&alias)
	c.MarkFlagsMutuallyExclusive(name, former)
}

// aliasOf is the annotation of a flag that is a former name of another.
const aliasOf = "tidemark_alias_of"

// Given are the settings that the command line gives, by the names of settings.
func Given(c *cobra.Command) request.Given {
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

// Fixed completes a flag from a fixed list.
func Fixed(c *cobra.Command, flag string, values ...string) {
	_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}
