package broker

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/twmb/franz-go/pkg/sasl/aws"
)

// awsCredentials are those of a named profile, else of the environment, else of AWS_PROFILE or the
// default profile in the shared credentials file. They are read at every login: they expire.
func awsCredentials(profile string, getenv func(string) string) (aws.Auth, error) {
	a := aws.Auth{AccessKey: getenv("AWS_ACCESS_KEY_ID"), SecretKey: getenv("AWS_SECRET_ACCESS_KEY"), SessionToken: getenv("AWS_SESSION_TOKEN")}
	if profile == "" && a.AccessKey != "" && a.SecretKey != "" {
		return a, nil
	}
	path := getenv("AWS_SHARED_CREDENTIALS_FILE")
	if path == "" && getenv("HOME") != "" {
		path = filepath.Join(getenv("HOME"), ".aws", "credentials")
	}
	profile = first(profile, getenv("AWS_PROFILE"), "default")
	found, err := awsProfile(path, profile)
	if err != nil {
		return a, fmt.Errorf("AWS_MSK_IAM needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment (aws configure export-credentials --format env) or in the credentials file: %w", err)
	}
	return found, nil
}

// awsProfile reads one section of the file.
func awsProfile(path, profile string) (aws.Auth, error) {
	var a aws.Auth
	if path == "" {
		return a, errors.New("there is no such file")
	}
	f, err := os.Open(path)
	if err != nil {
		return a, err
	}
	defer func() { _ = f.Close() }() // nothing is written
	section := ""
	scan := bufio.NewScanner(f)
	for scan.Scan() {
		text := strings.TrimSpace(scan.Text())
		if strings.HasPrefix(text, "[") {
			section = strings.TrimSpace(strings.Trim(text, "[]"))
			continue
		}
		key, value, ok := strings.Cut(text, "=")
		if !ok || section != profile || strings.HasPrefix(text, "#") {
			continue
		}
		switch value = strings.TrimSpace(value); strings.TrimSpace(key) {
		case "aws_access_key_id":
			a.AccessKey = value
		case "aws_secret_access_key":
			a.SecretKey = value
		case "aws_session_token":
			a.SessionToken = value
		}
	}
	if err := scan.Err(); err != nil {
		return a, fmt.Errorf("%s: %w", path, err)
	}
	if a.AccessKey == "" || a.SecretKey == "" {
		return a, fmt.Errorf("%s has no keys for profile %q", path, profile)
	}
	return a, nil
}
