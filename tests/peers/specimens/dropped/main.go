// Imports the stub and never makes one: the linker drops stub.New.
package main

import (
	"context"
	"fmt"

	"github.com/containerd/nri/pkg/api"
	"github.com/containerd/nri/pkg/stub"
)

type plugin struct{}

func (*plugin) RunPodSandbox(context.Context, *api.PodSandbox) error { return nil }

func main() {
	var _ stub.RunPodInterface = &plugin{}
	fmt.Println(stub.WithPluginName("a"))
}
