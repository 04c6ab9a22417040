package model

import (
	"strconv"
	"strings"
)

// Version is a Flink release; the zero value is an unknown one.
type Version struct{ Major, Minor, Patch int }

// ParseVersion reads "2.3.0", "1.20.3-SNAPSHOT" or a vendor's "1.18.1-amzn-0".
func ParseVersion(s string) Version {
	s, _, _ = strings.Cut(s, "-")
	var n [3]int
	for i, part := range strings.SplitN(s, ".", 3) {
		v, err := strconv.Atoi(part)
		if err != nil {
			return Version{}
		}
		n[i] = v
	}
	return Version{n[0], n[1], n[2]}
}

// Known reports whether a version was given.
func (v Version) Known() bool { return v != Version{} }

// AtLeast compares with major.minor.patch; it is false for an unknown version.
func (v Version) AtLeast(major, minor, patch int) bool {
	return v.Known() && !v.less(Version{major, minor, patch})
}

// Below compares with major.minor.patch; it is false for an unknown version.
func (v Version) Below(major, minor, patch int) bool {
	return v.Known() && v.less(Version{major, minor, patch})
}

func (v Version) less(o Version) bool {
	if v.Major != o.Major {
		return v.Major < o.Major
	}
	if v.Minor != o.Minor {
		return v.Minor < o.Minor
	}
	return v.Patch < o.Patch
}

func (v Version) String() string {
	if !v.Known() {
		return "unknown"
	}
	return strconv.Itoa(v.Major) + "." + strconv.Itoa(v.Minor) + "." + strconv.Itoa(v.Patch)
}

// PausesIdleClock reports a version with FLIP-471 (1.19.2, 1.20.1, 2.0.0 and later): time in back pressure or paused does
// not count towards the idle timeout.
func (v Version) PausesIdleClock() bool {
	return v.Major >= 2 || v.Minor == 19 && v.Patch >= 2 || v.Minor >= 20 && v.Patch >= 1
}
