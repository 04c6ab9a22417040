// Package licences lists the modules that a release links, their licences, and the notices that
// must be distributed with it.
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

// Module is a module that is linked on at least one platform.
type Module struct {
	Path    string
	Version string
	SPDX    []string // identifiers of its licences, in order
	Notices []Notice
}

// Notice is a file of a module that must be distributed with the binary: a licence, a NOTICE.
type Notice struct{ Name, Text string }

// systems are the operating systems that releases are built for.
var systems = []string{"linux", "darwin", "windows"}

// unwritten are modules without a licence file; the README of each names its licence.
var unwritten = map[string]string{"github.com/mattn/go-localereader": "MIT"}

// Linked lists the modules that a package links on any system, sorted by path. It runs the go
// command, which may have to download those of other systems.
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

// Go is the standard library, which is part of every binary.
func Go() (Module, error) {
	out, err := exec.Command("go", "env", "GOROOT", "GOVERSION").Output()
	if err != nil {
		return Module{}, err
	}
	root, version, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return read("Go", strings.TrimPrefix(version, "go"), root)
}

var noticeFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)(\.(txt|md))?$`)

// read finds the licences of a module in dir. An unknown licence text is an error: a person must
// look at it.
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
		m.Notices = []Notice{{"LICENSE", "The module does not include its licence text; its README says:  " + unwritten[path] + ".\n"}}
	}
	slices.Sort(m.SPDX)
	m.SPDX = slices.Compact(m.SPDX)
	if len(m.SPDX) == 0 {
		return m, fmt.Errorf("the licence of %s %s is not known: look at %s", path, version, dir)
	}
	return m, nil
}

// identify finds licences by sentences that occur in no other licence. A file may contain
// several.
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

// Text is the file that a release ships with the binary: every notice in full, each text once.
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
	b.WriteString("The tidemark binary contains these modules. Their licences and notices:\n")
	for _, text := range order {
		fmt.Fprintf(&b, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 80), strings.Join(users[text], "\n"), strings.TrimSpace(text))
	}
	return b.String()
}
