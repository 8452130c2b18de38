// Handlers of a generic type.
package main

import (
	"context"

	"github.com/containerd/nri/pkg/api"

	"nri-tests/peers/specimens/internal/run"
)

type plugin[T any] struct{ last T }

func (p *plugin[T]) StartContainer(context.Context, *api.PodSandbox, *api.Container) error {
	return nil
}

func (p *plugin[T]) CreateContainer(context.Context, *api.PodSandbox, *api.Container) (*api.ContainerAdjustment, []*api.ContainerUpdate, error) {
	return nil, nil, nil
}

func main() {
	run.Plugin(&plugin[map[string]int]{})
}
