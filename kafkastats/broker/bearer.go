package broker

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/oauth"
)

// bearer takes a token from a file or the environment, makes an unsecured one, or requests one
// from the token endpoint with client credentials, depending on the properties, as Java's login
// module does.
func (p Properties) bearer(options map[string]string, getenv func(string) string) (sasl.Mechanism, error) {
	endpoint := p["sasl.oauthbearer.token.endpoint.url"]
	token := func(get func(ctx context.Context) (string, error)) sasl.Mechanism {
		return oauth.Oauth(func(ctx context.Context) (oauth.Auth, error) {
			text, err := get(ctx)
			return oauth.Auth{Token: text, Extensions: extensions(options)}, err
		})
	}
	if path, ok := strings.CutPrefix(endpoint, "file:"); ok {
		return token(func(context.Context) (string, error) {
			text, err := os.ReadFile(strings.TrimPrefix(path, "//"))
			if err != nil {
				return "", fmt.Errorf("sasl.oauthbearer.token.endpoint.url: %w", err)
			}
			return strings.TrimSpace(string(text)), nil
		}), nil
	}
	if text := getenv("TIDEMARK_OAUTH_TOKEN"); text != "" {
		return token(func(context.Context) (string, error) { return text, nil }), nil
	}
	id := first(options["clientId"], p["sasl.oauthbearer.client.credentials.client.id"])
	secret := first(options["clientSecret"], p["sasl.oauthbearer.client.credentials.client.secret"])
	scope := first(options["scope"], p["sasl.oauthbearer.scope"])
	switch {
	case endpoint != "" && id != "":
		if strings.EqualFold(p["sasl.oauthbearer.header.urlencode"], "true") {
			id, secret = url.QueryEscape(id), url.QueryEscape(secret)
		}
		config, err := Properties(options).tlsConfig() // Java reads the endpoint's ssl.* from the JAAS options
		if err != nil {
			return nil, fmt.Errorf("token endpoint: %w", err)
		}
		return token(func(ctx context.Context) (string, error) {
			return clientCredentials(ctx, endpoint, id, secret, scope, config)
		}), nil
	case endpoint == "" && unsecured(options):
		return token(func(context.Context) (string, error) { return unsecuredToken(options, time.Now()) }), nil
	}
	return nil, errors.New("OAUTHBEARER needs sasl.oauthbearer.token.endpoint.url with clientId and clientSecret in sasl.jaas.config, unsecuredLoginStringClaim_sub there, or a token in TIDEMARK_OAUTH_TOKEN")
}

// extensions are the SASL extensions among the options.
func extensions(options map[string]string) map[string]string {
	out := map[string]string{}
	for name, value := range options {
		for _, prefix := range []string{"extension_", "unsecuredLoginExtension_"} {
			if short, ok := strings.CutPrefix(name, prefix); ok {
				out[short] = value
			}
		}
	}
	return out
}

func unsecured(options map[string]string) bool {
	for name := range options {
		if strings.HasPrefix(name, "unsecuredLogin") {
			return true
		}
	}
	return false
}

// unsecuredToken is the unsigned token that OAuthBearerUnsecuredLoginCallbackHandler (Kafka 2.0)
// makes for tests: claims from the options, issued now, valid for an hour.
func unsecuredToken(options map[string]string, now time.Time) (string, error) {
	claims := map[string]any{}
	for name, value := range options {
		if claim, ok := strings.CutPrefix(name, "unsecuredLoginStringClaim_"); ok {
			claims[claim] = value
		}
		if claim, ok := strings.CutPrefix(name, "unsecuredLoginNumberClaim_"); ok {
			n, err := strconv.ParseFloat(value, 64)
			if err != nil {
				return "", fmt.Errorf("%s is %q, not a number", name, value)
			}
			claims[claim] = n
		}
		if claim, ok := strings.CutPrefix(name, "unsecuredLoginListClaim_"); ok && value != "" {
			// The first character is the separator.
			claims[claim] = strings.Split(value[1:], value[:1])
		}
	}
	if principal := first(options["unsecuredLoginPrincipalClaimName"], "sub"); claims[principal] == nil {
		return "", fmt.Errorf("the unsecured token has no principal: set unsecuredLoginStringClaim_%s in sasl.jaas.config", principal)
	}
	lifetime := 3600.0
	if text := options["unsecuredLoginLifetimeSeconds"]; text != "" {
		var err error
		if lifetime, err = strconv.ParseFloat(text, 64); err != nil {
			return "", fmt.Errorf("unsecuredLoginLifetimeSeconds is %q, not a number", text)
		}
	}
	issued := float64(now.UnixMilli()) / 1000
	for claim, value := range map[string]float64{"iat": issued, "exp": issued + lifetime} {
		if claims[claim] == nil {
			claims[claim] = value
		}
	}
	body, err := json.Marshal(claims)
	if err != nil {
		return "", fmt.Errorf("unsecured token: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + base64.RawURLEncoding.EncodeToString(body) + ".", nil
}

// clientCredentials requests a token from the endpoint (RFC 6749, 4.4). It does not follow
// redirects: the secret would go to another host.
func clientCredentials(ctx context.Context, endpoint, id, secret, scope string, config *tls.Config) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	form := url.Values{"grant_type": {"client_credentials"}}
	if scope != "" {
		form.Set("scope", scope)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, strings.NewReader(form.Encode()))
	if err != nil {
		return "", fmt.Errorf("token endpoint: %w", err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	req.SetBasicAuth(id, secret)
	client := http.Client{Transport: &http.Transport{TLSClientConfig: config, Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		return "", fmt.Errorf("token endpoint: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err != nil {
		return "", fmt.Errorf("token endpoint: %w", err)
	}
	var answer struct {
		AccessToken string `json:"access_token"`
	}
	if res.StatusCode != http.StatusOK || json.Unmarshal(body, &answer) != nil || answer.AccessToken == "" {
		return "", fmt.Errorf("token endpoint answered %s without an access token", res.Status)
	}
	return answer.AccessToken, nil
}
