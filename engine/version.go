package engine

import (
	"fmt"
	"strconv"
	"strings"
)

// Version is a Flink release. The zero value corresponds to Latest.
type Version struct{ Major, Minor, Patch int }

// Latest is the newest release whose classes this package was checked against.
var Latest = Version{2, 3, 0}

// ParseVersion reads "1.20.3", "2.3" or "2.3-SNAPSHOT"; a missing patch is 0. Releases before
// 1.17 are refused, because this package was not checked against them.
func ParseVersion(text string) (Version, error) {
	core, _, _ := strings.Cut(strings.TrimSpace(text), "-")
	parts := strings.Split(core, ".")
	if len(parts) < 2 || len(parts) > 3 {
		return Version{}, fmt.Errorf("version %q is not a Flink version: want MAJOR.MINOR[.PATCH]", text)
	}
	numbers := [3]int{}
	for i, part := range parts {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 {
			return Version{}, fmt.Errorf("version %q is not a Flink version: %q is not a number", text, part)
		}
		numbers[i] = n
	}
	v := Version{numbers[0], numbers[1], numbers[2]}
	if !v.AtLeast(1, 17, 0) {
		return Version{}, fmt.Errorf("version %s: the engine knows Flink 1.17 and later", v)
	}
	return v, nil
}

// String is MAJOR.MINOR.PATCH.
func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch) }

// AtLeast compares in release order, across branches.
func (v Version) AtLeast(major, minor, patch int) bool {
	if v.Major != major {
		return v.Major > major
	}
	if v.Minor != minor {
		return v.Minor > minor
	}
	return v.Patch >= patch
}

// orLatest resolves the zero value.
func (v Version) orLatest() Version {
	if v == (Version{}) {
		return Latest
	}
	return v
}

// since reports whether a fix that reached several branches is in v: each entry
// is the first fixed patch of its branch, and every branch after the last is fixed.
func (v Version) since(fixed ...Version) bool {
	for _, f := range fixed {
		if v.Major == f.Major && v.Minor == f.Minor {
			return v.Patch >= f.Patch
		}
	}
	last := fixed[len(fixed)-1]
	return v.AtLeast(last.Major, last.Minor, last.Patch)
}
