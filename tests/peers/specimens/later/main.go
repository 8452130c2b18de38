// Has methods for events that only stubs since v0.10.0 know; text/template keeps them where the stub does not.
package main

import (
	"context"
	"os"
	"text/template"

	"github.com/containerd/nri/pkg/api"

	"nri-tests/peers/specimens/internal/run"
)

type plugin struct{}

func (*plugin) RunPodSandbox(context.Context, *api.PodSandbox) error { return nil }

func (*plugin) UpdatePodSandbox(context.Context, *api.PodSandbox, *api.LinuxResources, *api.LinuxResources) error {
	return nil
}

func (*plugin) PostUpdatePodSandbox(context.Context, *api.PodSandbox) error { return nil }

func main() {
	p := &plugin{}
	_ = template.Must(template.New("").Parse(os.Args[0])).Execute(os.Stdout, p)
	run.Plugin(p)
}
