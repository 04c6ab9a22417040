package flags

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tidemark/internal/units"
)

// shareFlag takes a share with its sign, as a part of 1.
type shareFlag float64

// Set implements pflag.Value.
func (s *shareFlag) Set(text string) error {
	share, err := units.ParseShare(text)
	if err == nil {
		f, _ := share.Float64()
		*s = shareFlag(f)
	}
	return err
}

func (s *shareFlag) String() string { return strings.ReplaceAll(units.Share(float64(*s)), " ", "") }

func (*shareFlag) Type() string { return "share" }

// Duration adds a flag that takes a duration as people, Go and Flink write it.
func Duration(c *cobra.Command, into *time.Duration, name string, usual time.Duration, doc string) {
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
