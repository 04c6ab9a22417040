package prom

import (
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestFilterAndThresholdsReachTheRules(t *testing.T) {
	text := string(alertsText(t, AlertRules, func(o *AlertOptions) {
		o.Jobs, o.Exclude, o.By = `a"b\.c`, "dev-.*", []string{"namespace"}
		o.MaxLag, o.ForLag, o.LateShare, o.MaxRestarts, o.Grace = 90*time.Second, time.Hour, 0.025, 7, 2*time.Minute
	}))
	for _, want := range []string{
		`job_name=~"a\"b\\.c",job_name!~"dev-.*"`, "by (namespace, job_name, job_id, task_name)", "seconds > 90", "for: 1h\n", "> 0.025", ">= 7", "seconds < 120",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing", want)
		}
	}
	if left := regexp.MustCompile(`<[a-z]\w+>|\$(job|jobs|task|subtask|window|grace|max\w+|lateshare|restarts)\b`).FindString(text); left != "" {
		t.Errorf("%s was not filled in", left)
	}
}

func TestAlertOptionsThatCannotBe(t *testing.T) {
	for _, c := range []struct {
		want   string
		change func(*AlertOptions)
	}{
		{"--jobs is no regular expression", func(o *AlertOptions) { o.Jobs = "(" }},
		{"--exclude-jobs is no regular expression", func(o *AlertOptions) { o.Exclude = "a**" }},
		{`--by has "a b"`, func(o *AlertOptions) { o.By = []string{"a b"} }},
		{"--max-lag is 1.5 s", func(o *AlertOptions) { o.MaxLag = 1500 * time.Millisecond }},
		{"--for-late is -1 min", func(o *AlertOptions) { o.ForLate = -time.Minute }},
		{"--grace is 0 ms", func(o *AlertOptions) { o.Grace = 0 }},
		{"--late-share is 1;", func(o *AlertOptions) { o.LateShare = 1 }},
		{"--late-share is -0.1;", func(o *AlertOptions) { o.LateShare = -0.1 }},
		{"--max-restarts is 0", func(o *AlertOptions) { o.MaxRestarts = 0 }},
		{"--for is 3m and --range 3m", func(o *AlertOptions) { o.For = 3 * time.Minute }},
	} {
		o := DefaultAlertOptions()
		c.change(&o)
		if err := o.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("want %q, got %v", c.want, err)
		}
	}
}

func TestPromDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{time.Second: "1s", 90 * time.Second: "1m30s", time.Hour: "1h", 25*time.Hour + time.Second: "25h1s"} {
		if got := promDuration(d); got != want {
			t.Errorf("%s: %s, want %s", d, got, want)
		}
	}
}
