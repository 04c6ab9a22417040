package flags

import (
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tidemark/internal/near"
	"tidemark/request"
)

// Mistake says what is wrong with a flag and what to write instead.
func Mistake(c *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	var unknown *pflag.NotExistError
	var bare *pflag.ValueRequiredError
	const see = "; see `%s --help`"
	switch {
	case errors.As(err, &invalid):
		f := invalid.GetFlag()
		return request.Badf("--%s is %q: %s"+see, f.Name, invalid.GetValue(), reason(f.Value.Type(), invalid.Unwrap()), c.CommandPath())
	case errors.As(err, &bare):
		return request.Badf("--%s needs a value"+see, bare.GetFlag().Name, c.CommandPath())
	case errors.As(err, &unknown) && len(unknown.GetSpecifiedName()) > 1:
		name := unknown.GetSpecifiedName()
		var known []string
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				known = append(known, f.Name)
			}
		})
		if alike := near.Alike(name, known, 3); len(alike) > 0 {
			return request.Badf("no flag --%s; near: --%s", name, strings.Join(alike, ", --"))
		}
		return request.Badf("no flag --%s"+see, name, c.CommandPath())
	}
	return request.Badf("%w"+see, err, c.CommandPath())
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
