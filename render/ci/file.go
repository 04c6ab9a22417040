package ci

import (
	"net/url"
	"path"
	"path/filepath"
	"strings"
)

// underRoot names a file below root relative to it, with slashes.
func underRoot(file, root string) string {
	if file == "" {
		return ""
	}
	if root != "" && filepath.IsAbs(file) {
		if rel, err := filepath.Rel(root, file); err == nil && filepath.IsLocal(rel) {
			file = rel
		}
	}
	return filepath.ToSlash(filepath.Clean(file))
}

// insideRoot is a name within the root: of a file elsewhere its last element.
func insideRoot(file string) string {
	if path.IsAbs(file) || filepath.IsAbs(file) || file == ".." || strings.HasPrefix(file, "../") {
		return path.Base(file)
	}
	return file
}

// sarifFile is a file as a URI, relative to the root of the sources where it has no absolute name.
func sarifFile(file string) sarifArtifact {
	if path.IsAbs(file) {
		return sarifArtifact{URI: (&url.URL{Scheme: "file", Path: file}).String()}
	}
	if filepath.IsAbs(file) { // C:/policies/tidemark.yaml
		return sarifArtifact{URI: (&url.URL{Scheme: "file", Path: "/" + file}).String()}
	}
	return sarifArtifact{URI: (&url.URL{Path: file}).String(), Base: "%SRCROOT%"}
}
