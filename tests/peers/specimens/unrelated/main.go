// A second type with handlers, which never reaches the stub but another interface: nothing tells it from a plugin.
package main

import (
	"context"
	"fmt"

	"github.com/containerd/nri/pkg/api"

	"nri-tests/peers/specimens/internal/run"
)

type follower interface {
	RunPodSandbox(context.Context, *api.PodSandbox) error
}

type log struct{ pods []string }

func (l *log) RunPodSandbox(_ context.Context, pod *api.PodSandbox) error {
	l.pods = append(l.pods, pod.GetId())
	return nil
}

type plugin struct{ followers []follower }

func (p *plugin) CreateContainer(ctx context.Context, pod *api.PodSandbox, _ *api.Container) (*api.ContainerAdjustment, []*api.ContainerUpdate, error) {
	for _, f := range p.followers {
		fmt.Println(f.RunPodSandbox(ctx, pod))
	}
	return nil, nil, nil
}

func main() {
	run.Plugin(&plugin{followers: []follower{&log{}}})
}
