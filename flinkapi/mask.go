package flinkapi

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"sort"
	"strings"

	"tidemark/internal/redact"
)

// masker masks secrets in text that leaves the client: errors and log lines.
type masker struct{ secrets []string }

func newMasker(o ClientOptions) masker {
	set := map[string]bool{}
	add := func(s string) {
		if s == "" {
			return
		}
		set[s], set[url.QueryEscape(s)], set[url.PathEscape(s)] = true, true, true
		quoted, _ := json.Marshal(s)
		set[string(quoted[1:len(quoted)-1])] = true
	}
	add(o.Token)
	add(o.Pass)
	for _, v := range o.Headers {
		// A value of one or two characters is not a secret, and masking it would garble every
		// message.
		if len(v) > 2 {
			add(v)
		}
		// "Bearer abc" may be echoed without its scheme.
		if _, bare, ok := strings.Cut(v, " "); ok && len(bare) > 2 {
			add(bare)
		}
	}
	if o.User != "" {
		add(base64.StdEncoding.EncodeToString([]byte(o.User + ":" + o.Pass)))
	}
	for _, raw := range []string{o.URL, o.Proxy} {
		if u, err := url.Parse(raw); err == nil && u.User != nil {
			p, _ := u.User.Password()
			add(p)
			add(u.User.String())
		}
	}
	m := masker{}
	for s := range set {
		m.secrets = append(m.secrets, s)
	}
	// Longest first, so that masking a secret inside another leaves no rest.
	sort.Slice(m.secrets, func(i, k int) bool {
		a, b := m.secrets[i], m.secrets[k]
		return len(a) > len(b) || len(a) == len(b) && a < b
	})
	return m
}

func (m masker) mask(s string) string {
	for _, secret := range m.secrets {
		s = strings.ReplaceAll(s, secret, "***")
	}
	return s
}

// MaskURL is raw without user, password and query values, for messages. Without a scheme,
// url.Parse would take "user:password@host" for the scheme "user".
func MaskURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Opaque != "" || !strings.Contains(raw, "://") {
		if i := strings.LastIndex(raw, "@"); i >= 0 {
			return redact.Text("***" + raw[i:])
		}
		return redact.Text(raw)
	}
	masked := u.User != nil
	u.User = nil
	if u.RawQuery != "" {
		u.RawQuery = "…"
	}
	s := redact.Text(u.String())
	if masked && u.Host != "" {
		s = strings.Replace(s, "://", "://***@", 1)
	}
	return s
}
