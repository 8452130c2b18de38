// Handlers of an embedded type, and one of the outer.
package main

import (
	"context"

	"github.com/containerd/nri/pkg/api"

	"nri-tests/peers/specimens/internal/run"
)

type base struct{ pods int }

func (b *base) RunPodSandbox(context.Context, *api.PodSandbox) error {
	b.pods++
	return nil
}

func (b *base) PostCreateContainer(context.Context, *api.PodSandbox, *api.Container) error {
	return nil
}

type plugin struct {
	base
	name string
}

func (p *plugin) UpdateContainer(context.Context, *api.PodSandbox, *api.Container, *api.LinuxResources) ([]*api.ContainerUpdate, error) {
	return nil, nil
}

func main() {
	run.Plugin(&plugin{name: "embedded"})
}
