package flinkapi

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// transport builds the connection pool: proxy, authorities, client certificate.
func transport(o ClientOptions) (*http.Transport, error) {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = o.MaxInFlight
	t.MaxConnsPerHost = o.MaxInFlight
	t.IdleConnTimeout = 30 * time.Second
	if o.Proxy != "" {
		u, err := url.Parse(o.Proxy)
		if err != nil || u.Host == "" {
			return nil, fmt.Errorf("proxy %q is not a URL; write it as http://host:port", MaskURL(o.Proxy))
		}
		t.Proxy = http.ProxyURL(u)
	}
	conf := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: o.Insecure}
	if o.CAFile != "" {
		pem, err := os.ReadFile(o.CAFile)
		if err != nil {
			return nil, fmt.Errorf("CA file cannot be read: %w", err)
		}
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		if !pool.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("CA file %s holds no PEM certificate", o.CAFile)
		}
		conf.RootCAs = pool
	}
	if (o.CertFile == "") != (o.KeyFile == "") {
		return nil, errors.New("a client certificate needs both files: the certificate and its key")
	}
	if o.CertFile != "" {
		pair, err := tls.LoadX509KeyPair(o.CertFile, o.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("client certificate %s with key %s cannot be used: %w", o.CertFile, o.KeyFile, err)
		}
		conf.Certificates = []tls.Certificate{pair}
	}
	t.TLSClientConfig = conf
	return t, nil
}

// redirectError is a redirect that is not followed: to another host, to a login page, or to
// another address of the host that must not get the credentials.
type redirectError struct {
	to     string
	login  bool
	secret bool
}

func (e *redirectError) Error() string {
	switch {
	case e.login:
		return "redirected to a login page at " + e.to
	case e.secret:
		return "redirected to " + e.to + ", where the credentials of this address are not sent"
	}
	return "redirected to " + e.to
}

// redirects follows a few redirects within the host. Credentials are never sent to another
// scheme, host or port, which may belong to others.
func redirects(o ClientOptions) func(req *http.Request, via []*http.Request) error {
	secret := o.Token != "" || o.User != "" || len(o.Headers) > 0
	return func(req *http.Request, via []*http.Request) error {
		to := MaskURL(req.URL.String())
		path := strings.ToLower(req.URL.Path)
		for _, mark := range []string{"login", "signin", "sign-in", "oauth", "saml", "/auth", "sso"} {
			if strings.Contains(path, mark) {
				return &redirectError{to: to, login: true}
			}
		}
		from := via[0].URL
		switch {
		case len(via) > 5, !strings.EqualFold(req.URL.Hostname(), from.Hostname()), from.Scheme == "https" && req.URL.Scheme == "http":
			return &redirectError{to: to}
		case secret && (req.URL.Scheme != from.Scheme || portOf(req.URL) != portOf(from)):
			return &redirectError{to: to, secret: true}
		}
		return nil
	}
}

func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}
