// A type with matching methods that nothing uses as a plugin: one of its methods is called, the others are dropped.
package main

import (
	"context"

	"github.com/containerd/nri/pkg/api"

	"nri-tests/peers/specimens/internal/run"
)

type old struct{ pods int }

//go:noinline
func (o *old) RunPodSandbox(_ context.Context, pod *api.PodSandbox) error {
	o.pods += len(pod.GetId())
	return nil
}

//go:noinline
func (o *old) StopPodSandbox(context.Context, *api.PodSandbox) error {
	o.pods--
	return nil
}

type plugin struct{}

func (*plugin) CreateContainer(context.Context, *api.PodSandbox, *api.Container) (*api.ContainerAdjustment, []*api.ContainerUpdate, error) {
	return nil, nil, nil
}

func main() {
	o := &old{}
	_ = o.RunPodSandbox(context.Background(), nil)
	println(o.pods)
	run.Plugin(&plugin{})
}
