//go:build lab

package ci

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestJUnitIsValid gives every run to xmllint with the schema of the Jenkins xUnit plugin.
func TestJUnitIsValid(t *testing.T) {
	dir := t.TempDir()
	args := []string{"--noout", "--nonet", "--schema", "../testdata/schema/junit-10.xsd"}
	for name, run := range checkRuns() {
		path := filepath.Join(dir, strings.ReplaceAll(name, " ", "-")+".xml")
		if err := os.WriteFile(path, checked(t, JUnit, run, Options{}), 0o644); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	if out, err := exec.Command("xmllint", args...).CombinedOutput(); err != nil {
		t.Fatalf("xmllint (Debian's libxml2-utils): %v\n%s", err, out)
	}
	bad := filepath.Join(dir, "bad.xml")
	if err := os.WriteFile(bad, []byte(`<testsuites><testsuite name="x"/></testsuites>`), 0o644); err != nil {
		t.Fatal(err)
	}
	if exec.Command("xmllint", "--noout", "--nonet", "--schema", "../testdata/schema/junit-10.xsd", bad).Run() == nil {
		t.Error("xmllint takes a suite without counts")
	}
}
