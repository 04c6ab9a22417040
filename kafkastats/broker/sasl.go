package broker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/aws"
	"github.com/twmb/franz-go/pkg/sasl/oauth"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// mechanism builds SASL from sasl.mechanism and sasl.jaas.config.
func (p Properties) mechanism(getenv func(string) string) (sasl.Mechanism, error) {
	name := strings.ToUpper(p["sasl.mechanism"])
	if name == "" {
		name = "GSSAPI" // Kafka's own default
	}
	options := map[string]string{}
	if config := p["sasl.jaas.config"]; config != "" {
		var err error
		if _, options, err = jaas(config); err != nil {
			return nil, err
		}
	}
	user, pass := options["username"], options["password"]
	if user == "" {
		user, pass = p["sasl.username"], p["sasl.password"]
	}
	switch name {
	case "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512":
		if user == "" {
			return nil, fmt.Errorf("SASL %s needs username and password in sasl.jaas.config", name)
		}
	}
	switch name {
	case "PLAIN":
		return plain.Auth{User: user, Pass: pass}.AsMechanism(), nil
	case "SCRAM-SHA-256":
		return scram.Auth{User: user, Pass: pass}.AsSha256Mechanism(), nil
	case "SCRAM-SHA-512":
		return scram.Auth{User: user, Pass: pass}.AsSha512Mechanism(), nil
	case "OAUTHBEARER":
		return p.bearer(options, getenv)
	case "AWS_MSK_IAM":
		return aws.ManagedStreamingIAM(func(context.Context) (aws.Auth, error) {
			a := aws.Auth{AccessKey: getenv("AWS_ACCESS_KEY_ID"), SecretKey: getenv("AWS_SECRET_ACCESS_KEY"), SessionToken: getenv("AWS_SESSION_TOKEN")}
			if a.AccessKey == "" || a.SecretKey == "" {
				return a, errors.New("AWS_MSK_IAM needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment (aws configure export-credentials --format env)")
			}
			return a, nil
		}), nil
	}
	return nil, fmt.Errorf("sasl.mechanism %s is not supported: use PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, OAUTHBEARER or AWS_MSK_IAM", name)
}

// bearer takes a token from the environment or a file, or asks the token endpoint by client
// credentials.
func (p Properties) bearer(options map[string]string, getenv func(string) string) (sasl.Mechanism, error) {
	endpoint := p["sasl.oauthbearer.token.endpoint.url"]
	if path, ok := strings.CutPrefix(endpoint, "file:"); ok {
		return oauth.Oauth(func(context.Context) (oauth.Auth, error) {
			token, err := os.ReadFile(strings.TrimPrefix(path, "//"))
			return oauth.Auth{Token: strings.TrimSpace(string(token)), Extensions: extensions(options)}, err
		}), nil
	}
	if token := getenv("TIDEMARK_OAUTH_TOKEN"); token != "" {
		return oauth.Auth{Token: token, Extensions: extensions(options)}.AsMechanism(), nil
	}
	if endpoint == "" || options["clientId"] == "" {
		return nil, errors.New("OAUTHBEARER needs sasl.oauthbearer.token.endpoint.url with clientId and clientSecret in sasl.jaas.config, or a token in TIDEMARK_OAUTH_TOKEN")
	}
	return oauth.Oauth(func(ctx context.Context) (oauth.Auth, error) {
		token, err := clientCredentials(ctx, endpoint, options)
		return oauth.Auth{Token: token, Extensions: extensions(options)}, err
	}), nil
}

func extensions(options map[string]string) map[string]string {
	out := map[string]string{}
	for name, value := range options {
		if short, ok := strings.CutPrefix(name, "extension_"); ok {
			out[short] = value
		}
	}
	return out
}

func clientCredentials(ctx context.Context, endpoint string, options map[string]string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	form := url.Values{"grant_type": {"client_credentials"}}
	if options["scope"] != "" {
		form.Set("scope", options["scope"])
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, strings.NewReader(form.Encode()))
	if err != nil {
		return "", fmt.Errorf("token endpoint: %w", err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.SetBasicAuth(options["clientId"], options["clientSecret"])
	res, err := http.DefaultClient.Do(req)
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
