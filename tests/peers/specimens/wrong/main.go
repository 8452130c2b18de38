// Methods with the names of events and other signatures, called directly: they are linked, and no handlers.
package main

import (
	"context"

	"github.com/containerd/nri/pkg/api"

	"nri-tests/peers/specimens/internal/run"
)

type plugin struct{ pods int }

//go:noinline
func (p *plugin) RunPodSandbox(pod *api.PodSandbox) error {
	p.pods += len(pod.GetId())
	return nil
}

//go:noinline
func (p *plugin) RemoveContainer(_ context.Context, _ *api.PodSandbox, _ api.Container) error {
	return nil
}

func (p *plugin) UpdateContainer(context.Context, *api.PodSandbox, *api.Container, *api.LinuxResources) ([]*api.ContainerUpdate, error) {
	return nil, p.RunPodSandbox(nil)
}

func main() {
	p := &plugin{}
	_ = p.RunPodSandbox(nil)
	_ = p.RemoveContainer(context.Background(), nil, api.Container{})
	run.Plugin(p)
}
