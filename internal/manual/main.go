// Command manual writes what a package ships besides the binary: a man page per command, the
// completions of bash, zsh and fish, and the licences of the linked modules.
//
//	go run ./internal/manual DIR [VERSION]
//
// SOURCE_DATE_EPOCH dates the pages, as reproducible-builds.org defines it. Without it they carry
// the date of the epoch, so that two builds of one commit are equal.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"tidemark/cmd"
	"tidemark/internal/licences"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "manual: go run ./internal/manual DIR [VERSION]")
		os.Exit(2)
	}
	version := ""
	if len(os.Args) > 2 {
		version = " " + os.Args[2]
	}
	if err := write(os.Args[1], version, os.Getenv("SOURCE_DATE_EPOCH")); err != nil {
		fmt.Fprintln(os.Stderr, "manual:", err)
		os.Exit(1)
	}
}

// write fills dir/man, dir/completions and dir/THIRD_PARTY.txt.
func write(dir, version, epoch string) error {
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if epoch != "" && err != nil {
		return fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
	}
	date := time.Unix(seconds, 0).UTC()
	man, completions := filepath.Join(dir, "man"), filepath.Join(dir, "completions")
	for _, d := range []string{man, completions} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return err
		}
	}
	root := cmd.Root()
	root.DisableAutoGenTag = true
	header := &doc.GenManHeader{Section: "1", Date: &date, Source: "tidemark" + version, Manual: "tidemark"}
	if err := doc.GenManTree(root, header, man); err != nil {
		return err
	}
	for name, generate := range map[string]func(*cobra.Command, string) error{
		"tidemark.bash": func(c *cobra.Command, f string) error { return c.GenBashCompletionFileV2(f, true) },
		"tidemark.fish": func(c *cobra.Command, f string) error { return c.GenFishCompletionFile(f, true) },
		"_tidemark":     func(c *cobra.Command, f string) error { return c.GenZshCompletionFile(f) },
	} {
		if err := generate(root, filepath.Join(completions, name)); err != nil {
			return err
		}
	}
	return thirdParty(filepath.Join(dir, "THIRD_PARTY.txt"))
}

func thirdParty(path string) error {
	linked, err := licences.Linked("tidemark")
	if err != nil {
		return err
	}
	std, err := licences.Go()
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(licences.Text(append(linked, std))), 0o644)
}
