package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Only the program links AWS's SDK: a broker that asks for AWS_MSK_IAM gets a login with the key of the environment.
func TestTheProgramLogsInToAWS(t *testing.T) {
	t.Parallel()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "orders"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	var login atomic.Value
	c.ControlKey(int16(kmsg.SASLHandshake), func(r kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		answer := r.ResponseKind().(*kmsg.SASLHandshakeResponse)
		answer.SupportedMechanisms = []string{"AWS_MSK_IAM"}
		return answer, nil, true
	})
	c.ControlKey(int16(kmsg.SASLAuthenticate), func(r kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		login.Store(string(r.(*kmsg.SASLAuthenticateRequest).SASLAuthBytes))
		return r.ResponseKind(), nil, true
	})
	settings := filepath.Join(t.TempDir(), "client.properties")
	if err := os.WriteFile(settings, []byte("security.protocol=SASL_PLAINTEXT\nsasl.mechanism=AWS_MSK_IAM\nsasl.jaas.config=software.amazon.msk.auth.iam.IAMLoginModule required;\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := exec.Command("tidemark", "recommend", "orders", "--brokers", c.ListenAddrs()[0], "--kafka-config", settings, "--field", "event_time")
	p.Env = append(os.Environ(), "AWS_ACCESS_KEY_ID=AKPROGRAM", "AWS_SECRET_ACCESS_KEY=secret", "AWS_REGION=eu-central-1", "TIDEMARK_CONFIG=", "XDG_CONFIG_HOME="+t.TempDir())
	said, _ := p.CombinedOutput() // the topic is empty, which is another matter
	if got, _ := login.Load().(string); !strings.Contains(got, "AKPROGRAM/") {
		t.Errorf("the login is %q; %s", got, said)
	}
}
