package flinkapi

import (
	"strconv"
	"strings"
)

// OldestFlink and NewestFlink are the range of versions whose metrics and answers were checked in
// their sources.
const (
	OldestFlink = "1.17"
	NewestFlink = "2.3"
)

// Support says whether a version is within OldestFlink and NewestFlink.
type Support string

// The values of Support.
const (
	SupportUnknown Support = "unknown" // the version could not be read
	SupportOlder   Support = "older"
	Supported      Support = "supported"
	SupportNewer   Support = "newer"
)

// Support compares the major and minor version of the cluster.
func (c *Capture) Support() Support {
	major, minor, ok := majorMinor(c.FlinkVersion())
	below := func(bound string) bool {
		a, b, _ := majorMinor(bound)
		return major < a || major == a && minor < b
	}
	switch {
	case !ok:
		return SupportUnknown
	case below(OldestFlink):
		return SupportOlder
	case below(NewestFlink), strings.HasPrefix(c.FlinkVersion()+".", NewestFlink+"."), strings.HasPrefix(c.FlinkVersion(), NewestFlink+"-"):
		return Supported
	}
	return SupportNewer
}

func majorMinor(version string) (major, minor int, ok bool) {
	var n [2]int
	rest := version
	for i := range n {
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		v, err := strconv.Atoi(rest[:digits])
		if err != nil {
			return 0, 0, false
		}
		n[i] = v
		rest = strings.TrimPrefix(rest[digits:], ".")
	}
	return n[0], n[1], true
}

func atLeast(version string, major, minor int) bool {
	a, b, ok := majorMinor(version)
	return ok && (a > major || a == major && b >= minor)
}
