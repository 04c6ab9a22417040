package cmd

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tidemark/internal/near"
	"tidemark/internal/units"
)

// shareVar adds a flag that takes a share with its sign, as a part of 1.
func shareVar(f *pflag.FlagSet, into *float64, name, usage string) {
	f.Var((*shareValue)(into), name, usage)
}

type shareValue float64

// Set implements pflag.Value.
func (s *shareValue) Set(text string) error {
	share, err := units.ParseShare(text)
	if err == nil {
		f, _ := share.Float64()
		*s = shareValue(f)
	}
	return err
}

func (s *shareValue) String() string { return strings.ReplaceAll(units.Share(float64(*s)), " ", "") }

func (*shareValue) Type() string { return "share" }

// durationVar adds a flag that takes a duration as people, Go and Flink write it.
func durationVar(c *cobra.Command, into *time.Duration, name string, usual time.Duration, doc string) {
	*into = usual
	c.Flags().Var((*durationFlag)(into), name, doc)
}

// durationFlag takes a duration as people, Go and Flink write it.
type durationFlag time.Duration

func (d *durationFlag) String() string {
	if *d == 0 {
		return "" // no default to show
	}
	return units.Exact(time.Duration(*d).Milliseconds())
}

func (*durationFlag) Type() string { return "duration" }

// Set implements pflag.Value.
func (d *durationFlag) Set(text string) error {
	v, err := units.ParseDuration(text)
	*d = durationFlag(v)
	return err
}

// durationsFlag takes such durations, with commas between, and may repeat.
type durationsFlag struct {
	into *[]time.Duration
	said bool // what is there is no longer the default
}

func (d *durationsFlag) String() string {
	texts := make([]string, len(*d.into))
	for i, v := range *d.into {
		texts[i] = units.Exact(v.Milliseconds())
	}
	return strings.Join(texts, ",")
}

func (*durationsFlag) Type() string { return "durations" }

// Set implements pflag.Value.
func (d *durationsFlag) Set(text string) error {
	if !d.said {
		*d.into, d.said = nil, true
	}
	for _, part := range strings.Split(text, ",") {
		v, err := units.ParseDuration(part)
		if err != nil {
			return err
		}
		*d.into = append(*d.into, v)
	}
	return nil
}

// flagError says what is wrong with a flag and what to write instead.
func flagError(c *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	var unknown *pflag.NotExistError
	var bare *pflag.ValueRequiredError
	const see = "; see `%s --help`"
	switch {
	case !c.HasParent() && c.Flags().NArg() > 0: // what a flag belongs to comes before it
		return noCommand(c, c.Flags().Arg(0))
	case errors.As(err, &invalid):
		f := invalid.GetFlag()
		return usagef("--%s is %q: %s"+see, f.Name, invalid.GetValue(), reason(f.Value.Type(), invalid.Unwrap()), c.CommandPath())
	case errors.As(err, &bare):
		return usagef("--%s needs a value"+see, bare.GetFlag().Name, c.CommandPath())
	case errors.As(err, &unknown) && unknown.GetSpecifiedName() == "from" && c.Name() == "watch":
		return usagef("watch reads a live cluster; `tidemark triage --from FILE` reads a recording")
	case errors.As(err, &unknown) && unknown.GetSpecifiedName() == "all-contexts":
		return usagef("%s is about one cluster: name it with --context; `tidemark triage --all-contexts` reads all of them once", c.Name())
	case errors.As(err, &unknown) && len(unknown.GetSpecifiedName()) > 1:
		name := unknown.GetSpecifiedName()
		var known []string
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				known = append(known, f.Name)
			}
		})
		if alike := near.Alike(name, known, 3); len(alike) > 0 {
			return usagef("no flag --%s; near: --%s", name, strings.Join(alike, ", --"))
		}
		return usagef("no flag --%s"+see, name, c.CommandPath())
	}
	return usagef("%w"+see, err, c.CommandPath())
}

// reason is why a flag of a type does not take its value.
func reason(kind string, cause error) string {
	if !errors.Is(cause, strconv.ErrSyntax) && !errors.Is(cause, strconv.ErrRange) {
		return cause.Error()
	}
	switch {
	case kind == "bool":
		return "write true or false"
	case strings.HasPrefix(kind, "float"):
		return "write a number"
	}
	return "write a whole number"
}
