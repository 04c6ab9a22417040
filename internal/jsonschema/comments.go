package jsonschema

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"reflect"
	"strings"
)

// Comments reads the doc comments of all types of a module, and of their fields, from the source
// below root. Generic types and types declared inside functions have none.
func Comments(root, module string) (func(t reflect.Type, field string) string, error) {
	texts := map[string]string{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && file != root) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		collect(parsed, path.Join(module, filepath.ToSlash(dir)), texts)
		return nil
	})
	return func(t reflect.Type, field string) string { return texts[t.PkgPath()+"."+t.Name()+"."+field] }, err
}

func collect(file *ast.File, pkg string, texts map[string]string) {
	for _, d := range file.Decls {
		general, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range general.Specs {
			t, ok := spec.(*ast.TypeSpec)
			if !ok {
				continue
			}
			key := pkg + "." + t.Name.Name + "."
			texts[key] = flat(t.Doc, general.Doc)
			if s, ok := t.Type.(*ast.StructType); ok {
				for _, f := range s.Fields.List {
					for _, name := range f.Names {
						texts[key+name.Name] = flat(f.Doc, f.Comment)
					}
				}
			}
		}
	}
}

// flat is the first comment that is not empty, as one line.
func flat(comments ...*ast.CommentGroup) string {
	for _, c := range comments {
		if text := strings.Join(strings.Fields(c.Text()), " "); text != "" {
			return text
		}
	}
	return ""
}
