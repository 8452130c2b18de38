// Command validator is the default validator of the NRI project as a plugin of
// its own, with the configuration that the runtime sends.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/containerd/nri/pkg/stub"
	validator "github.com/containerd/nri/plugins/default-validator"
	yaml "go.yaml.in/yaml/v3"
)

type plugin struct {
	*validator.DefaultValidator
}

func (p *plugin) Configure(_ context.Context, config, _, _ string) (stub.EventMask, error) {
	var rules validator.DefaultValidatorConfig
	if err := yaml.Unmarshal([]byte(config), &rules); err != nil {
		return 0, err
	}
	p.SetConfig(&rules)
	return 0, nil
}

func main() {
	flag.Parse()
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run() error {
	rules := &validator.DefaultValidatorConfig{Enable: true}
	s, err := stub.New(&plugin{validator.NewDefaultValidator(rules)})
	if err != nil {
		return err
	}
	return s.Run(context.Background())
}
