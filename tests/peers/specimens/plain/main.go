// A plugin like most: handlers on a pointer, two of them for events that old runtimes send as StateChange.
package main

import (
	"context"

	"github.com/containerd/nri/pkg/api"

	"nri-tests/peers/specimens/internal/run"
)

type plugin struct{ seen int }

func (p *plugin) Synchronize(context.Context, []*api.PodSandbox, []*api.Container) ([]*api.ContainerUpdate, error) {
	return nil, nil
}

func (p *plugin) RunPodSandbox(context.Context, *api.PodSandbox) error {
	p.seen++
	return nil
}

func (p *plugin) RemoveContainer(context.Context, *api.PodSandbox, *api.Container) error {
	p.seen--
	return nil
}

func (p *plugin) StopContainer(context.Context, *api.PodSandbox, *api.Container) ([]*api.ContainerUpdate, error) {
	return nil, nil
}

func main() {
	run.Plugin(&plugin{})
}
