// Command hooks decides which OCI hooks containers get, with the library that
// CRI-O, Podman and the hook-injector of the NRI project share.
//
// Its arguments are folders of hook files. Standard input has a container as a
// JSON object on each line; for each, it prints the hooks as a JSON object.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/containers/common/pkg/hooks"
	"github.com/opencontainers/runtime-spec/specs-go"
)

// container is what conditions of hooks look at.
type container struct {
	Args        []string          `json:"args"`
	Annotations map[string]string `json:"annotations"`
	HasMounts   bool              `json:"hasMounts"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run() error {
	manager, err := hooks.New(context.Background(), os.Args[1:], nil)
	if err != nil {
		return err
	}
	lines, out := bufio.NewScanner(os.Stdin), json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var c container
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			return err
		}
		spec := &specs.Spec{Process: &specs.Process{Args: c.Args}}
		if _, err := manager.Hooks(spec, c.Annotations, c.HasMounts); err != nil {
			return err
		}
		if err := out.Encode(spec.Hooks); err != nil {
			return err
		}
	}
	return lines.Err()
}
