// Handlers on a value, given to the stub as a value.
package main

import (
	"context"

	"github.com/containerd/nri/pkg/api"

	"nri-tests/peers/specimens/internal/run"
)

type plugin struct{ a, b string }

func (plugin) RemovePodSandbox(context.Context, *api.PodSandbox) error {
	return nil
}

func (p plugin) PostStartContainer(_ context.Context, pod *api.PodSandbox, _ *api.Container) error {
	print(p.a, p.b, pod.GetName())
	return nil
}

func main() {
	run.Plugin(plugin{a: "a", b: "b"})
}
