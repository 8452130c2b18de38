// text/template looks methods up by name, so that the linker keeps all exported ones: here a method with the name of an
// event and another signature.
package main

import (
	"context"
	"os"
	"text/template"

	"github.com/containerd/nri/pkg/api"

	"nri-tests/peers/specimens/internal/run"
)

type plugin struct{}

func (*plugin) PostUpdateContainer(context.Context, *api.PodSandbox, *api.Container) error {
	return nil
}

// StartContainer is for the template alone.
func (*plugin) StartContainer(id string) string {
	return "started " + id
}

// RunPodSandbox has neither context nor error.
func (*plugin) RunPodSandbox(pod *api.PodSandbox) string {
	return pod.GetId()
}

func main() {
	p := &plugin{}
	text := "{{.StartContainer \"1\"}}"
	if len(os.Args) > 1 {
		text = os.Args[1]
	}
	_ = template.Must(template.New("").Parse(text)).Execute(os.Stdout, p)
	run.Plugin(p)
}
