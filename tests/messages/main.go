// Prints the format strings of the logs and errors about NRI in a Go module, each on a line as JSON: the file and the format.
//
// A message is the first constant string among the arguments of a call such as log.Warnf or fmt.Errorf, or the text of
// a deprecation, which is a value in a composite literal. With prefixes of paths, all messages in files below these count.
// Without, those in files and folders named after NRI count, and everywhere else those that name NRI.
//
//	messages FOLDER [PREFIX...]
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// printers are the functions and methods of loggers and of errors, in lower case and without the letter of those that format.
var printers = map[string]bool{
	"debug": true, "info": true, "warn": true, "warning": true, "error": true, "fatal": true, "panic": true, "trace": true,
	"wrap": true, "print": true, "println": true, "sprint": true,
}

// message is a format string with its place.
type message struct {
	File   string `json:"file"`
	Format string `json:"format"`
}

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: messages FOLDER [PREFIX...]")
		os.Exit(2)
	}
	if err := read(os.Args[1], os.Args[2:], json.NewEncoder(os.Stdout)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// named is a word by which a message outside of NRI's own files is about NRI.
var named = regexp.MustCompile(`\b(NRI|nri)\b`)

// isAboutNRI reports whether a message is about NRI.
func isAboutNRI(path, format string, prefixes []string) bool {
	if len(prefixes) > 0 {
		return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(path, prefix) })
	}
	folders := strings.Split(path, "/")
	file := folders[len(folders)-1]
	if slices.Contains([]string{"test", "contrib", "integration"}, folders[0]) {
		return false
	}
	return slices.Contains(folders, "nri") || strings.HasPrefix(file, "nri") || named.MatchString(format)
}

func read(root string, prefixes []string, output *json.Encoder) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && (name == "vendor" || name == "testdata") {
			return filepath.SkipDir
		}
		isSource := strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && !strings.HasSuffix(name, ".pb.go")
		if entry.IsDir() || !isSource {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		for _, format := range formats(file) {
			if !isAboutNRI(filepath.ToSlash(relative), format, prefixes) {
				continue
			}
			if err := output.Encode(message{relative, format}); err != nil {
				return err
			}
		}
		return nil
	})
}

// formats returns the messages of a file in their order.
func formats(file *ast.File) []string {
	known := constants(file)
	isDeprecation := file.Name.Name == "deprecation"
	var found []string
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.CallExpr:
			if !isPrinter(node.Fun) {
				return true
			}
			for _, argument := range node.Args {
				if text, ok := constant(argument, known); ok {
					found = append(found, text)
					break
				}
			}
		case *ast.KeyValueExpr:
			if text, ok := constant(node.Value, known); ok && isDeprecation {
				found = append(found, text)
			}
		}
		return true
	})
	return found
}

// isPrinter reports whether a function logs or makes an error.
func isPrinter(function ast.Expr) bool {
	name := ""
	switch function := function.(type) {
	case *ast.Ident:
		name = function.Name
	case *ast.SelectorExpr:
		name = function.Sel.Name
		if owner, ok := function.X.(*ast.Ident); ok && name == "New" && owner.Name == "errors" {
			return true
		}
	}
	return printers[strings.TrimSuffix(strings.ToLower(name), "f")]
}

// constants returns the constants of a file that are literal strings.
func constants(file *ast.File) map[string]string {
	known := map[string]string{}
	for _, declaration := range file.Decls {
		general, ok := declaration.(*ast.GenDecl)
		if !ok || general.Tok != token.CONST {
			continue
		}
		for _, spec := range general.Specs {
			values := spec.(*ast.ValueSpec)
			for i, name := range values.Names {
				if i < len(values.Values) {
					if text, ok := constant(values.Values[i], known); ok {
						known[name.Name] = text
					}
				}
			}
		}
	}
	return known
}

// constant returns the value of a string: a literal, a constant of the same file, or several of these joined.
func constant(expression ast.Expr, known map[string]string) (string, bool) {
	switch expression := expression.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(expression.Value)
		return text, expression.Kind == token.STRING && err == nil
	case *ast.Ident:
		text, ok := known[expression.Name]
		return text, ok
	case *ast.ParenExpr:
		return constant(expression.X, known)
	case *ast.BinaryExpr:
		left, isLeft := constant(expression.X, known)
		right, isRight := constant(expression.Y, known)
		return left + right, expression.Op == token.ADD && isLeft && isRight
	}
	return "", false
}
