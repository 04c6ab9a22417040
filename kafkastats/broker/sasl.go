package broker

import (
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// mechanism builds SASL from sasl.mechanism and sasl.jaas.config.
func (p Properties) mechanism(getenv func(string) string) (sasl.Mechanism, error) {
	name := strings.ToUpper(p["sasl.mechanism"])
	if name == "" {
		name = "GSSAPI" // Kafka's default
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
		return scram.Auth{User: user, Pass: pass, IsToken: options["tokenauth"] == "true"}.AsSha256Mechanism(), nil
	case "SCRAM-SHA-512":
		return scram.Auth{User: user, Pass: pass, IsToken: options["tokenauth"] == "true"}.AsSha512Mechanism(), nil
	case "OAUTHBEARER":
		return p.bearer(options, getenv)
	case "AWS_MSK_IAM":
		return iam(options), nil
	}
	return nil, fmt.Errorf("sasl.mechanism %s is not supported: use PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, OAUTHBEARER or AWS_MSK_IAM", name)
}
