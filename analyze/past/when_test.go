package past

import (
	"strings"
	"testing"
	"time"

	"tidemark/flinkapi"
	"tidemark/request"
)

// An instant is a stretch of no length; what a policy takes its limits from is a day, unless it is said otherwise.
func TestWhenIsAnInstantOrAStretch(t *testing.T) {
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	once := flinkapi.Reading{Once: true}
	for _, c := range []struct {
		when      When
		source    flinkapi.Reading
		limits    bool
		since, at time.Duration // before now
		says      string        // of the mistake
	}{
		{},
		{when: When{At: "-2h"}, since: 2 * time.Hour, at: 2 * time.Hour},
		{when: When{Since: "-2h"}, since: 2 * time.Hour},
		{when: When{Since: "-2h", Until: "-1h"}, since: 2 * time.Hour, at: time.Hour},
		{when: When{At: "-2h"}, source: once, since: 2 * time.Hour, at: 2 * time.Hour},
		{limits: true, since: 24 * time.Hour},
		{when: When{Until: "-1h"}, limits: true, since: 25 * time.Hour, at: time.Hour},
		{when: When{Since: "-2h", Until: "-1h"}, limits: true, since: 2 * time.Hour, at: time.Hour},

		{when: When{At: "-2h", Since: "-3h"}, says: "--at is an instant, and --since and --until are a stretch"},
		{when: When{Until: "-2h"}, says: "--until needs --since"},
		{when: When{Since: "-2h"}, source: once, says: "--once takes one sample, and --since a stretch"},
		{when: When{Since: "-1h", Until: "-2h"}, says: `--since is "-1h", which is not before --until`},
		{when: When{At: "noon"}, says: `--at is "noon"`},
		{source: flinkapi.Reading{Given: request.Given{"interval": true}}, says: "--interval is not used"},
		{when: When{At: "-2h"}, limits: true, says: "--at is an instant, and limits come from a stretch"},
		{source: once, limits: true, says: "--once takes one sample, and limits come from many"},
		{when: When{Until: "soon"}, limits: true, says: `--until is "soon"`},
	} {
		of := c.when.Stretch
		if c.limits {
			of = c.when.Usual
		}
		since, at, err := of(c.source, now)
		switch {
		case c.says != "":
			if err == nil || !strings.HasPrefix(err.Error(), c.says) {
				t.Errorf("%+v: %v, want %s", c.when, err, c.says)
			}
		case err != nil || !since.Equal(now.Add(-c.since)) || !at.Equal(now.Add(-c.at)):
			t.Errorf("%+v: since %s, at %s, %v", c.when, since, at, err)
		}
	}
}
