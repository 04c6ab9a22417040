package broker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Options of a connection.
type Options struct {
	Brokers  []string   // host:port; empty: bootstrap.servers of the properties
	Settings Properties // client.properties; may be nil
	Rack     string     `flag:"rack" doc:"fetch from the replica in this rack"`
	ClientID string     // default tidemark
	Getenv   func(string) string
}

// Opts are the franz-go options of a connection. None of them joins a group or commits.
func (o Options) Opts() ([]kgo.Opt, error) {
	p := o.Settings
	if p == nil {
		p = Properties{}
	}
	getenv := o.Getenv
	if getenv == nil {
		getenv = func(string) string { return "" }
	}
	brokers := o.Brokers
	if len(brokers) == 0 && p["bootstrap.servers"] != "" {
		brokers = strings.FieldsFunc(p["bootstrap.servers"], func(r rune) bool { return r == ',' || r == ' ' })
	}
	if len(brokers) == 0 {
		return nil, errors.New("no broker given: use --brokers, TIDEMARK_BROKERS or bootstrap.servers in the client properties")
	}
	for _, b := range brokers {
		if at := strings.LastIndex(b, "@"); at >= 0 {
			return nil, fmt.Errorf("broker ***%s holds a user or password: write host:port, and credentials as sasl.jaas.config in the client properties", b[at:])
		}
		if scheme, address, ok := strings.Cut(b, "://"); ok {
			return nil, fmt.Errorf("broker %q: %s is not part of a broker's address; write %s", b, scheme+"://", strings.TrimSuffix(address, "/"))
		}
	}
	id := first(o.ClientID, p["client.id"], "tidemark")
	opts := []kgo.Opt{kgo.SeedBrokers(brokers...), kgo.ClientID(id), kgo.DialTimeout(10 * time.Second), kgo.RetryTimeout(15 * time.Second), kgo.RequestRetries(5),
		kgo.DisableClientMetrics()} // a broker is only read from: KIP-714 would push metrics of this client to it
	if rack := first(o.Rack, p["client.rack"]); rack != "" {
		opts = append(opts, kgo.Rack(rack))
	}
	protocol := strings.ToUpper(first(p["security.protocol"], "PLAINTEXT"))
	if !slices.Contains([]string{"PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"}, protocol) {
		return nil, fmt.Errorf("security.protocol %q is none of PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL", protocol)
	}
	if strings.HasSuffix(protocol, "SSL") {
		config, err := p.tlsConfig()
		if err != nil {
			return nil, err
		}
		opts = append(opts, kgo.DialTLSConfig(config))
	}
	if strings.HasPrefix(protocol, "SASL") {
		m, err := p.mechanism(getenv)
		if err != nil {
			return nil, err
		}
		opts = append(opts, kgo.SASL(m))
	}
	return opts, nil
}

// ReadCommitted reports whether the properties request committed records only.
func (p Properties) ReadCommitted() bool {
	return strings.EqualFold(p["isolation.level"], "read_committed")
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// Explain converts a client error into one line that says what to do; nil for nil. An address
// that does not answer as a broker is tested once for HTTP, for up to a second.
func Explain(err error) error {
	var op *net.OpError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &op) && op.Op == "read" && op.Addr != nil && speaksHTTP(op.Addr.String()):
		return fmt.Errorf("%s speaks HTTP, as Flink's REST API does: --brokers takes the address of a Kafka broker (port 9092 by default): %w", op.Addr, err)
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, kerr.SaslAuthenticationFailed), errors.Is(err, kerr.UnsupportedSaslMechanism), errors.Is(err, kerr.IllegalSaslState), strings.Contains(err.Error(), "authentication failed"):
		return fmt.Errorf("the broker refused the login: check sasl.mechanism, user and password: %w", err)
	case errors.Is(err, kerr.TopicAuthorizationFailed):
		return fmt.Errorf("no permission: the user needs READ and DESCRIBE on the topic: %w", err)
	case errors.Is(err, kerr.ClusterAuthorizationFailed):
		return fmt.Errorf("no permission on the cluster: %w", err)
	case strings.Contains(err.Error(), "tls:"), strings.Contains(err.Error(), "x509:"):
		return fmt.Errorf("TLS to Kafka failed: check security.protocol and ssl.truststore: %w", err)
	case errors.As(err, &op), errors.Is(err, context.DeadlineExceeded), strings.Contains(err.Error(), "unable to dial"):
		return fmt.Errorf("no Kafka broker answers: check --brokers and the listener's security: %w", err)
	case strings.Contains(err.Error(), "EOF"), strings.Contains(err.Error(), "response size"), strings.Contains(err.Error(), "closed the connection immediately"):
		return fmt.Errorf("the broker closed the connection at once: is security.protocol (TLS, SASL) what the listener speaks? %w", err)
	}
	return err
}

// speaksHTTP reports a server that answers an HTTP request.
func speaksHTTP(address string) bool {
	c, err := net.DialTimeout("tcp", address, httpTry)
	if err != nil {
		return false
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(httpTry))
	if _, err := c.Write([]byte("HEAD / HTTP/1.0\r\n\r\n")); err != nil {
		return false
	}
	answer := make([]byte, len("HTTP/"))
	_, err = io.ReadFull(c, answer)
	return err == nil && string(answer) == "HTTP/"
}

const httpTry = time.Second
