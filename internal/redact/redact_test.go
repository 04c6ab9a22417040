package redact

import (
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	for _, s := range []string{
		"cannot connect to jdbc:postgresql://app:hunter2@db:5432/x?user=a", "kafka://app:hunter2@b:9092", "Source: //app:hunter2@host_5432",
		"jdbc:mysql://db/x?user=a&password=hunter2&ssl=true", "LoginException: username=\"a\" password=\"hunter2\";",
		"WITH ('properties.ssl.truststore.password' = 'hunter2', 'a' = 'b')", `{"client_secret": "hunter2"}`, "Password: hunter2", "s3.secret-key=hunter2",
		"Authorization: Bearer hunter2hunter2", "header Bearer hunter2hunter2", "http://h/a;jsessionid=hunter2?x=1", "access_token=hunter2", `"token": "hunter2"`,
		"aws.access.key.id=hunter2", "sasl.jaas.config = 'x required password=\\'hunter2\\''", "fs.azure.account.key=hunter2", "PWD=hunter2", "'password'='it''s hunter2'",
		`'api-key' => "hunter2 and more"`, "token=hunter2",
	} {
		if got := Text(s); strings.Contains(got, "hunter2") || !strings.Contains(got, "***") {
			t.Errorf("%q became %q", s, got)
		}
	}
	for _, s := range []string{
		"AKIAIOSFODNN7EXAMPLE", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc",
	} {
		if got := Text("key " + s + " end"); got != "key *** end" {
			t.Errorf("%q", got)
		}
	}
}

func TestWhatIsNoCredentialStays(t *testing.T) {
	for _, s := range []string{
		"Encountered unexpected token: WATERMARK at line 3", "Source: Orders -> Window10s", "https://host:8081/jobs/overview", "a // b @ c", "mail me@example.org",
		"TokenWindow[3]", "password_reset_events", "secretary-0", "/home/me/secret.yaml:4:5: a key is missing", "basic set", "tidemark triage --token-file FILE", "Window(TumblingEventTimeWindows(10000))",
	} {
		if got := Text(s); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
}

func TestAll(t *testing.T) {
	type inner struct {
		Name  string
		Maybe *string
		Attr  map[string]string
		quiet string
	}
	pw := "password=hunter2"
	v := struct {
		Text string
		List []inner
		Any  any
		Num  []int
	}{pw, []inner{{pw, &[]string{pw}[0], map[string]string{"k": pw}, pw}}, &inner{Name: pw}, []int{1}}
	All(&v)
	in := v.List[0]
	for i, got := range []string{v.Text, in.Name, *in.Maybe, in.Attr["k"], v.Any.(*inner).Name} {
		if got != "password=***" {
			t.Errorf("%d: %q", i, got)
		}
	}
	if in.quiet != pw {
		t.Error("an unexported field changed")
	}
}

func FuzzText(f *testing.F) {
	f.Add("password = 'x'")
	f.Add("password = 'x'w")
	f.Add("//a:b@c")
	f.Fuzz(func(t *testing.T, s string) {
		once := Text(s)
		if twice := Text(once); twice != once {
			t.Errorf("%q, then %q", once, twice)
		}
	})
}

// A file whose name looks like a key keeps its line.
func TestAPlaceInAFileIsNoCredential(t *testing.T) {
	for _, s := range []string{"secrets.yaml:4:5: unknown key", "conf/password.json:12: cut"} {
		if got := Text(s); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
}
