// Handlers of an embedded interface.
package main

import (
	"context"

	"github.com/containerd/nri/pkg/api"

	"nri-tests/peers/specimens/internal/run"
)

type pods interface {
	RunPodSandbox(context.Context, *api.PodSandbox) error
	StopPodSandbox(context.Context, *api.PodSandbox) error
}

type nothing struct{}

func (nothing) RunPodSandbox(context.Context, *api.PodSandbox) error  { return nil }
func (nothing) StopPodSandbox(context.Context, *api.PodSandbox) error { return nil }

type plugin struct{ pods }

func main() {
	run.Plugin(&plugin{pods: nothing{}})
}
