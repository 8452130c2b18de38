// Has services of another interface with the names of events, as the CRI's are, and mocks of them.
package main

import (
	"context"
	"fmt"

	"github.com/containerd/nri/pkg/api"

	"nri-tests/peers/specimens/internal/run"
)

type request struct{ id string }

type service interface {
	RunPodSandbox(context.Context, *request) (*request, error)
	StopPodSandbox(context.Context, *request) (*request, error)
	StartContainer(context.Context, *request) (*request, error)
	ListPodSandbox(context.Context, *request) ([]*request, error)
}

type mock struct{}

func (*mock) RunPodSandbox(_ context.Context, r *request) (*request, error)    { return r, nil }
func (*mock) StopPodSandbox(_ context.Context, r *request) (*request, error)   { return r, nil }
func (*mock) StartContainer(_ context.Context, r *request) (*request, error)   { return r, nil }
func (*mock) ListPodSandbox(_ context.Context, r *request) ([]*request, error) { return nil, nil }

type plugin struct{ service service }

func (p *plugin) CreateContainer(ctx context.Context, pod *api.PodSandbox, _ *api.Container) (*api.ContainerAdjustment, []*api.ContainerUpdate, error) {
	r := &request{id: pod.GetId()}
	r, _ = p.service.RunPodSandbox(ctx, r)
	r, _ = p.service.StopPodSandbox(ctx, r)
	r, _ = p.service.StartContainer(ctx, r)
	all, err := p.service.ListPodSandbox(ctx, r)
	fmt.Println(all)
	return nil, nil, err
}

func main() {
	run.Plugin(&plugin{service: &mock{}})
}
