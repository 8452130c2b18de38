// Two plugins in one program.
package main

import (
	"context"
	"os"

	"github.com/containerd/nri/pkg/api"

	"nri-tests/peers/specimens/internal/run"
)

type first struct{}

func (*first) RunPodSandbox(context.Context, *api.PodSandbox) error { return nil }

type second struct{}

func (second) StartContainer(context.Context, *api.PodSandbox, *api.Container) error { return nil }

func main() {
	if len(os.Args) > 1 {
		run.Plugin(&first{})
	}
	run.Plugin(second{})
}
