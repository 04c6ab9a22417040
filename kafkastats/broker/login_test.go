package broker

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"tidemark/kafkastats/broker/msk"
)

// loginServer is a broker that offers one mechanism and asks judge about every login.
func loginServer(t *testing.T, mechanism string, judge func(auth []byte) error) string {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "orders"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	c.ControlKey(int16(kmsg.SASLHandshake), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		res := req.ResponseKind().(*kmsg.SASLHandshakeResponse)
		res.SupportedMechanisms = []string{mechanism}
		if req.(*kmsg.SASLHandshakeRequest).Mechanism != mechanism {
			res.ErrorCode = kerr.UnsupportedSaslMechanism.Code
		}
		return res, nil, true
	})
	c.ControlKey(int16(kmsg.SASLAuthenticate), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		res := req.ResponseKind().(*kmsg.SASLAuthenticateResponse)
		if mechanism == "AWS_MSK_IAM" {
			res.SASLAuthBytes = []byte(`{"version":"2020_10_22"}`)
		}
		if err := judge(req.(*kmsg.SASLAuthenticateRequest).SASLAuthBytes); err != nil {
			message := err.Error()
			res.ErrorCode, res.ErrorMessage, res.SASLAuthBytes = kerr.SaslAuthenticationFailed.Code, &message, nil
		}
		return res, nil, true
	})
	return c.ListenAddrs()[0]
}

// login connects as the properties say.
func login(t *testing.T, addr, properties string, env map[string]string) error {
	t.Helper()
	p, err := ParseProperties(strings.NewReader("security.protocol=SASL_PLAINTEXT\n" + properties))
	if err != nil {
		t.Fatal(err)
	}
	opts, err := Options{Brokers: []string{addr}, Settings: p, Getenv: func(k string) string { return env[k] }}.Opts()
	if err != nil {
		return err
	}
	cl, err := kgo.NewClient(append(opts, kgo.RetryTimeout(time.Second), kgo.RequestRetries(0))...)
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return Explain(cl.Ping(ctx))
}

// bearerOf takes the token and the extensions out of a first message of RFC 7628.
func bearerOf(auth []byte) (token string, extensions map[string]string) {
	extensions = map[string]string{}
	for _, part := range strings.Split(string(auth), "\x01") {
		if after, ok := strings.CutPrefix(part, "auth=Bearer "); ok {
			token = after
		} else if k, v, ok := strings.Cut(part, "="); ok && !strings.HasPrefix(part, "n,") {
			extensions[k] = v
		}
	}
	return token, extensions
}

func TestTokenEndpointOverHTTPS(t *testing.T) {
	var asked int
	srv := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		id, secret, _ := r.BasicAuth()
		if r.URL.Path == "/moved" {
			http.Redirect(w, r, "/", http.StatusTemporaryRedirect)
			return
		}
		if err := r.ParseForm(); err != nil || id != "me" || secret != "s3cret" || r.Form.Get("scope") != "kafka" || r.Form.Get("grant_type") != "client_credentials" {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		_, _ = io.WriteString(w, `{"access_token":"abc.def.ghi","token_type":"Bearer","expires_in":60}`)
	}))
	defer srv.Close()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	addr := loginServer(t, "OAUTHBEARER", func(auth []byte) error {
		if token, ext := bearerOf(auth); token != "abc.def.ghi" || ext["logicalCluster"] != "lkc-1" {
			return fmt.Errorf("not the token: %q", auth)
		}
		return nil
	})
	good := `org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required clientId="me" clientSecret="s3cret" scope="kafka" extension_logicalCluster="lkc-1" ssl.truststore.location="` + ca + `";`
	head := "sasl.mechanism=OAUTHBEARER\nsasl.login.callback.handler.class=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler\n"
	for name, v := range map[string]struct{ properties, fail string }{
		"good": {"sasl.oauthbearer.token.endpoint.url=" + srv.URL + "\nsasl.jaas.config=" + good, ""},
		"newer properties": {"sasl.oauthbearer.token.endpoint.url=" + srv.URL + "\nsasl.oauthbearer.client.credentials.client.id=me\nsasl.oauthbearer.client.credentials.client.secret=s3cret\nsasl.oauthbearer.scope=kafka\n" +
			`sasl.jaas.config=x required extension_logicalCluster="lkc-1" ssl.truststore.location="` + ca + `";`, ""},
		"wrong secret": {"sasl.oauthbearer.token.endpoint.url=" + srv.URL + "\nsasl.jaas.config=" + strings.Replace(good, "s3cret", "s3kret", 1), "token endpoint answered 401 Unauthorized"},
		"redirected":   {"sasl.oauthbearer.token.endpoint.url=" + srv.URL + "/moved\nsasl.jaas.config=" + good, "token endpoint answered 307"},
		"untrusted":    {"sasl.oauthbearer.token.endpoint.url=" + srv.URL + "\nsasl.jaas.config=" + strings.Replace(good, "ssl.truststore.location", "x", 1), "x509"},
		"no store":     {"sasl.oauthbearer.token.endpoint.url=" + srv.URL + "\nsasl.jaas.config=" + strings.Replace(good, ca, "/no/such", 1), "no such file"},
	} {
		err := login(t, addr, head+v.properties, nil)
		switch {
		case v.fail == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case v.fail != "" && (err == nil || !strings.Contains(err.Error(), v.fail) || strings.Contains(err.Error(), "s3cret") || strings.Contains(err.Error(), "s3kret")):
			t.Errorf("%s: %v, want %q", name, err, v.fail)
		}
	}
	if asked == 0 {
		t.Error("the endpoint was never asked")
	}
}

func TestTokensWithoutAnEndpoint(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("from.the.file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var got string
	var ext map[string]string
	addr := loginServer(t, "OAUTHBEARER", func(auth []byte) error { got, ext = bearerOf(auth); return nil })
	for want, v := range map[string]struct {
		properties string
		env        map[string]string
	}{
		"from.the.file": {"sasl.oauthbearer.token.endpoint.url=file://" + file, nil},
		"from.env.x":    {"", map[string]string{"TIDEMARK_OAUTH_TOKEN": "from.env.x"}},
	} {
		if err := login(t, addr, "sasl.mechanism=OAUTHBEARER\n"+v.properties, v.env); err != nil || got != want {
			t.Errorf("%q, want %q: %v", got, want, err)
		}
	}
	err := login(t, addr, `sasl.mechanism=OAUTHBEARER
sasl.jaas.config=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="ann" unsecuredLoginListClaim_scope=",a,b" unsecuredLoginNumberClaim_level="3" unsecuredLoginLifetimeSeconds="60" unsecuredLoginExtension_tenant="x";`, nil)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(got, ".")
	if len(parts) != 3 || parts[2] != "" || ext["tenant"] != "x" {
		t.Fatalf("token %q, extensions %v", got, ext)
	}
	header, err := base64.RawURLEncoding.DecodeString(parts[0])
	if err != nil || string(header) != `{"alg":"none"}` {
		t.Errorf("header %s, %v", header, err)
	}
	body, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		t.Fatal(err)
	}
	var claims map[string]any
	if err := json.Unmarshal(body, &claims); err != nil {
		t.Fatal(err)
	}
	issued, _ := claims["iat"].(float64)
	expires, _ := claims["exp"].(float64)
	if age := float64(time.Now().Unix()) - issued; age < -1 || age > 30 || expires-issued != 60 {
		t.Errorf("issued %v, expires %v", issued, expires)
	}
	delete(claims, "iat")
	delete(claims, "exp")
	if diff := cmp.Diff(map[string]any{"sub": "ann", "scope": []any{"a", "b"}, "level": 3.0}, claims); diff != "" {
		t.Error(diff)
	}
	for config, want := range map[string]string{
		`x required unsecuredLoginStringClaim_name="ann";`:                                        "no principal",
		`x required unsecuredLoginStringClaim_sub="ann" unsecuredLoginNumberClaim_level="high";`:  "not a number",
		`x required unsecuredLoginStringClaim_sub="ann" unsecuredLoginLifetimeSeconds="forever";`: "not a number",
		`x required clientId="me" clientSecret="verysecret";`:                                     "OAUTHBEARER needs",
	} {
		if err := login(t, addr, "sasl.mechanism=OAUTHBEARER\nsasl.jaas.config="+config, nil); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "verysecret") {
			t.Errorf("%s: %v, want %q", config, err, want)
		}
	}
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

// signature is AWS Signature Version 4 of a presigned request, from its definition.
func signature(secret, date, region, service, stringToSign string) string {
	key := mac(mac(mac(mac([]byte("AWS4"+secret), date), region), service), "aws4_request")
	return hex.EncodeToString(mac(key, stringToSign))
}

// The presigned GET of the Amazon S3 documentation, so that the test's own signature is right.
func TestSignatureAgreesWithAWSDocumentation(t *testing.T) {
	canonical := "GET\n/test.txt\nX-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host\nhost:examplebucket.s3.amazonaws.com\n\nhost\nUNSIGNED-PAYLOAD"
	sum := sha256.Sum256([]byte(canonical))
	toSign := "AWS4-HMAC-SHA256\n20130524T000000Z\n20130524/us-east-1/s3/aws4_request\n" + hex.EncodeToString(sum[:])
	if got := signature("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "20130524", "us-east-1", "s3", toSign); got != "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404" {
		t.Error(got)
	}
}

// checkIAM verifies a login as MSK's brokers do: the JSON payload of aws-msk-iam-auth (2020_10_22) is
// a presigned GET on the host with an empty body.
func checkIAM(auth []byte, secrets map[string]string, wantToken string) error {
	var p map[string]string
	if err := json.Unmarshal(auth, &p); err != nil {
		return err
	}
	credential := strings.Split(p["x-amz-credential"], "/")
	if len(credential) != 5 || credential[3] != "kafka-cluster" || credential[4] != "aws4_request" {
		return fmt.Errorf("credential %q", p["x-amz-credential"])
	}
	if p["version"] != "2020_10_22" || p["action"] != "kafka-cluster:Connect" || p["x-amz-signedheaders"] != "host" || p["x-amz-security-token"] != wantToken {
		return fmt.Errorf("payload %v", p)
	}
	secret, known := secrets[credential[0]]
	if !known {
		return fmt.Errorf("access key %q is not known", credential[0])
	}
	query := url.Values{"Action": {p["action"]}, "X-Amz-Algorithm": {p["x-amz-algorithm"]}, "X-Amz-Credential": {p["x-amz-credential"]},
		"X-Amz-Date": {p["x-amz-date"]}, "X-Amz-Expires": {p["x-amz-expires"]}, "X-Amz-SignedHeaders": {p["x-amz-signedheaders"]}}
	if wantToken != "" {
		query.Set("X-Amz-Security-Token", wantToken)
	}
	encoded := strings.ReplaceAll(query.Encode(), "+", "%20")
	empty := sha256.Sum256(nil)
	canonical := "GET\n/\n" + encoded + "\nhost:" + p["host"] + "\n\nhost\n" + hex.EncodeToString(empty[:])
	sum := sha256.Sum256([]byte(canonical))
	toSign := "AWS4-HMAC-SHA256\n" + p["x-amz-date"] + "\n" + strings.Join(credential[1:], "/") + "\n" + hex.EncodeToString(sum[:])
	if want := signature(secret, credential[1], credential[2], credential[3], toSign); want != p["x-amz-signature"] {
		return fmt.Errorf("the signature does not match")
	}
	return nil
}

func TestAWSLoginIsSignedAsTheServerChecks(t *testing.T) {
	AWSCredentials = msk.Credentials
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, ".aws"), 0o700); err != nil {
		t.Fatal(err)
	}
	credentials := "[default]\naws_access_key_id = AKDEFAULT\naws_secret_access_key = one+two/three=\n# aws_session_token = no\n\n[team]\naws_access_key_id=AKTEAM\naws_secret_access_key=team-secret\naws_session_token=tok/en==\n[empty]\n"
	if err := os.WriteFile(filepath.Join(home, ".aws", "credentials"), []byte(credentials), 0o600); err != nil {
		t.Fatal(err)
	}
	tokens := stsServer(t, map[string]string{"AssumeRole": "AKROLE", "AssumeRoleWithWebIdentity": "AKPOD"})
	identity := filepath.Join(home, "token")
	if err := os.WriteFile(identity, []byte("pod-token"), 0o600); err != nil {
		t.Fatal(err)
	}
	secrets := map[string]string{"AKENV": "env-secret", "AKDEFAULT": "one+two/three=", "AKTEAM": "team-secret", "AKROLE": "sts-secret", "AKPOD": "sts-secret"}
	shared := map[string]string{"AWS_SHARED_CREDENTIALS_FILE": filepath.Join(home, ".aws", "credentials")}
	keys := map[string]string{"AWS_ACCESS_KEY_ID": "AKENV", "AWS_SECRET_ACCESS_KEY": "env-secret"}
	for name, v := range map[string]struct {
		config, token, fail string
		env                 []map[string]string
	}{
		"environment":        {"", "", "", []map[string]string{keys}},
		"environment, token": {"", "s/t+=", "", []map[string]string{keys, {"AWS_SESSION_TOKEN": "s/t+="}}},
		"default profile":    {"", "", "", []map[string]string{shared}},
		"profile by jaas":    {`software.amazon.msk.auth.iam.IAMLoginModule required awsProfileName="team";`, "tok/en==", "", []map[string]string{shared, keys}},
		"profile by env":     {`software.amazon.msk.auth.iam.IAMLoginModule required;`, "tok/en==", "", []map[string]string{shared, {"AWS_PROFILE": "team"}}},
		"role":               {`x required awsRoleArn="arn:aws:iam::1:role/x";`, "session", "", []map[string]string{keys}},
		"web identity":       {"", "session", "", []map[string]string{{"AWS_ROLE_ARN": "arn:aws:iam::1:role/pod", "AWS_WEB_IDENTITY_TOKEN_FILE": identity}}},
		"wrong secret":       {"", "", "refused the login", []map[string]string{keys, {"AWS_SECRET_ACCESS_KEY": "env-sekret"}}},
		"empty profile":      {`x required awsProfileName="empty";`, "", "AWS_MSK_IAM found no credentials", []map[string]string{shared}},
		"unknown profile":    {`x required awsProfileName="other";`, "", `failed to get shared config profile, other`, []map[string]string{shared}},
		"nothing":            {"", "", "AWS_MSK_IAM found no credentials", nil},
	} {
		t.Run(name, func(t *testing.T) {
			for _, key := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_ROLE_ARN", "AWS_WEB_IDENTITY_TOKEN_FILE"} {
				t.Setenv(key, "")
			}
			t.Setenv("AWS_SHARED_CREDENTIALS_FILE", filepath.Join(home, "none"))
			t.Setenv("AWS_CONFIG_FILE", filepath.Join(home, "none"))
			t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
			t.Setenv("AWS_REGION", "eu-central-1") // the address of the test server names none
			t.Setenv("AWS_ENDPOINT_URL_STS", tokens)
			for _, set := range v.env {
				for key, value := range set {
					t.Setenv(key, value)
				}
			}
			addr := loginServer(t, "AWS_MSK_IAM", func(auth []byte) error { return checkIAM(auth, secrets, v.token) })
			properties := "sasl.mechanism=AWS_MSK_IAM\nsasl.client.callback.handler.class=software.amazon.msk.auth.iam.IAMClientCallbackHandler\n"
			if v.config != "" {
				properties += "sasl.jaas.config=" + v.config
			}
			err := login(t, addr, properties, nil)
			switch {
			case v.fail == "" && err != nil:
				t.Error(err)
			case v.fail != "" && (err == nil || !strings.Contains(err.Error(), v.fail) || strings.Contains(err.Error(), "sekret")):
				t.Errorf("%v, want %q", err, v.fail)
			}
		})
	}
}

// stsServer answers as AWS STS (API version 2011-06-15), with an access key for each action.
func stsServer(t *testing.T, keys map[string]string) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		action := r.FormValue("Action")
		if action == "AssumeRoleWithWebIdentity" && r.FormValue("WebIdentityToken") != "pod-token" {
			http.Error(w, "no token", http.StatusForbidden)
			return
		}
		_, _ = fmt.Fprintf(w, `<%[1]sResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><%[1]sResult><Credentials>`+
			`<AccessKeyId>%[2]s</AccessKeyId><SecretAccessKey>sts-secret</SecretAccessKey><SessionToken>session</SessionToken>`+
			`<Expiration>%[3]s</Expiration></Credentials></%[1]sResult></%[1]sResponse>`, action, keys[action], time.Now().Add(time.Hour).UTC().Format(time.RFC3339))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestPasswordsAreCheckedByARealExchange(t *testing.T) {
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.EnableSASL(), kfake.Superuser("PLAIN", "ann", "s3cret"), kfake.Superuser("SCRAM-SHA-256", "bob", "s3cret, with=signs"), kfake.Superuser("SCRAM-SHA-512", "cid", `quo"ted`))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, v := range []struct {
		mechanism, user, password string
		ok                        bool
	}{
		{"PLAIN", "ann", "s3cret", true}, {"SCRAM-SHA-256", "bob", "s3cret, with=signs", true}, {"SCRAM-SHA-512", "cid", `quo\\"ted`, true},
		{"PLAIN", "ann", "s3kret", false}, {"SCRAM-SHA-256", "bob", "s3kret", false}, {"SCRAM-SHA-512", "cid", "s3kret", false}, {"SCRAM-SHA-512", "nobody", "s3kret", false},
	} {
		err := login(t, c.ListenAddrs()[0], fmt.Sprintf("sasl.mechanism=%s\nsasl.jaas.config=x required username=\"%s\" password=\"%s\";", v.mechanism, v.user, v.password), nil)
		if (err == nil) != v.ok || err != nil && strings.Contains(err.Error(), "s3kret") {
			t.Errorf("%s %s: %v", v.mechanism, v.user, err)
		}
	}
	if err := login(t, c.ListenAddrs()[0], "sasl.mechanism=OAUTHBEARER", map[string]string{"TIDEMARK_OAUTH_TOKEN": "x"}); err == nil || !strings.Contains(err.Error(), "refused the login") {
		t.Errorf("a mechanism the broker does not have: %v", err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	_ = l.Close()
	if err := login(t, addr, "sasl.mechanism=PLAIN\nsasl.jaas.config=x required username=\"a\" password=\"b\";", nil); err == nil || !strings.Contains(err.Error(), "no Kafka broker answers") {
		t.Errorf("nobody listens: %v", err)
	}
}
