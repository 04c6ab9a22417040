// Package licences says which modules a release links, under which licence each stands, and what their authors ask
// to be told with it.
package licences

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Module is a module that a binary of some platform links.
type Module struct {
	Path    string
	Version string
	SPDX    []string // identifiers of its licences, in order
	Notices []Notice
}

// Notice is a file of a module that has to go with the binary: a licence, a NOTICE.
type Notice struct{ Name, Text string }

// systems are those that releases are built for.
var systems = []string{"linux", "darwin", "windows"}

// unwritten are modules without a file of their licence; the README of each names it.
var unwritten = map[string]string{"github.com/mattn/go-localereader": "MIT"}

// Linked lists the modules that a package links on any system, by path. It asks the go command, which may have to
// download those of other systems.
func Linked(pkg string) ([]Module, error) {
	var lines []string
	for _, system := range systems {
		c := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}", pkg)
		c.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
		out, err := c.Output()
		if exit := new(exec.ExitError); errors.As(err, &exit) {
			return nil, fmt.Errorf("go list for %s: %s", system, exit.Stderr)
		} else if err != nil {
			return nil, err
		}
		lines = append(lines, strings.Split(strings.TrimSpace(string(out)), "\n")...)
	}
	slices.Sort(lines)
	var all []Module
	for _, l := range slices.Compact(lines) {
		if l == "" {
			continue
		}
		part := strings.SplitN(l, " ", 3)
		m, err := read(part[0], part[1], part[2])
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

// Go is the standard library, which every binary holds as well.
func Go() (Module, error) {
	out, err := exec.Command("go", "env", "GOROOT", "GOVERSION").Output()
	if err != nil {
		return Module{}, err
	}
	root, version, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return read("Go", strings.TrimPrefix(version, "go"), root)
}

var noticeFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)(\.(txt|md))?$`)

// read finds the licences of a module in dir. One that is not known by its words is an error: somebody has to look.
func read(path, version, dir string) (Module, error) {
	m := Module{Path: path, Version: version}
	files, err := os.ReadDir(dir)
	if err != nil {
		return m, err
	}
	for _, f := range files {
		if f.IsDir() || !noticeFile.MatchString(f.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return m, err
		}
		m.Notices = append(m.Notices, Notice{f.Name(), string(text)})
		m.SPDX = append(m.SPDX, identify(string(text))...)
	}
	if len(m.Notices) == 0 && unwritten[path] != "" {
		m.SPDX = []string{unwritten[path]}
		m.Notices = []Notice{{"LICENSE", "The module holds no text of its licence; its README says: " + unwritten[path] + ".\n"}}
	}
	slices.Sort(m.SPDX)
	m.SPDX = slices.Compact(m.SPDX)
	if len(m.SPDX) == 0 {
		return m, fmt.Errorf("the licence of %s %s is not known: look at %s", path, version, dir)
	}
	return m, nil
}

// identify finds licences by sentences that no other has. A file may hold several.
func identify(text string) (spdx []string) {
	text = strings.Join(strings.Fields(text), " ")
	for _, l := range []struct{ id, words string }{
		{"Apache-2.0", "Apache License, Version 2.0"},
		{"Apache-2.0", "Apache License Version 2.0, January 2004"},
		{"MIT", "Permission is hereby granted, free of charge, to any person obtaining a copy"},
		{"MPL-2.0", "Mozilla Public License Version 2.0"},
		{"ISC", "Permission to use, copy, modify, and/or distribute this software"},
	} {
		if strings.Contains(text, l.words) {
			spdx = append(spdx, l.id)
		}
	}
	if strings.Contains(text, "Redistribution and use in source and binary forms") {
		if strings.Contains(text, "Neither the name") {
			return append(spdx, "BSD-3-Clause")
		}
		return append(spdx, "BSD-2-Clause")
	}
	return spdx
}

// Text is what a release holds beside the binary: every notice in full, each text once.
func Text(all []Module) string {
	var order []string
	users := map[string][]string{}
	for _, m := range all {
		for _, n := range m.Notices {
			if users[n.Text] == nil {
				order = append(order, n.Text)
			}
			users[n.Text] = append(users[n.Text], fmt.Sprintf("%s %s (%s)", m.Path, m.Version, n.Name))
		}
	}
	var b strings.Builder
	b.WriteString("tidemark holds these modules in its binary. Their licences and notices:\n")
	for _, text := range order {
		fmt.Fprintf(&b, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 80), strings.Join(users[text], "\n"), strings.TrimSpace(text))
	}
	return b.String()
}
