package licences

import (
	"slices"
	"strings"
	"testing"

	"tidemark/internal/expect"
)

func TestIdentify(t *testing.T) {
	for text, want := range map[string][]string{
		"Apache License\n   Version 2.0, January 2004":                                                           {"Apache-2.0"},
		"Permission is hereby granted, free of\ncharge, to any person obtaining a copy":                          {"MIT"},
		"Redistribution and use in source and binary forms ... Neither the name of X nor":                        {"BSD-3-Clause"},
		"Redistribution and use in source and binary forms ...":                                                  {"BSD-2-Clause"},
		"Redistribution and use in source and binary forms, and: Licensed under the Apache License, Version 2.0": {"Apache-2.0", "BSD-2-Clause"},
		"do as you please": nil,
	} {
		if got := identify(text); !slices.Equal(got, want) {
			t.Errorf("%.40q is %v, want %v", text, got, want)
		}
	}
}

func TestAModuleWithoutAKnownLicenceIsAnError(t *testing.T) {
	_, err := read("example.org/x", "v1.0.0", t.TempDir())
	expect.Error(t, err, "the licence of example.org/x v1.0.0 is not known")
}

func TestTextHoldsEachLicenceOnce(t *testing.T) {
	same := []Notice{{"LICENSE", "do good\n"}}
	text := Text([]Module{{Path: "a", Version: "v1", Notices: same}, {Path: "b", Version: "v2", Notices: append(same, Notice{"NOTICE", "by b"})}})
	if strings.Count(text, "do good") != 1 || !strings.Contains(text, "a v1 (LICENSE)\nb v2 (LICENSE)\n\ndo good\n") || !strings.Contains(text, "b v2 (NOTICE)\n\nby b\n") {
		t.Error(text)
	}
}
