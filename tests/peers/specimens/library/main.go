// Uses NRI's types, and is no plugin; its own type has a method that would make it one.
package main

import (
	"context"
	"fmt"

	"github.com/containerd/nri/pkg/api"
)

type watcher struct{}

func (*watcher) RunPodSandbox(context.Context, *api.PodSandbox) error { return nil }

func main() {
	var w any = &watcher{}
	if w, ok := w.(interface {
		RunPodSandbox(context.Context, *api.PodSandbox) error
	}); ok {
		fmt.Println(w.RunPodSandbox(context.Background(), &api.PodSandbox{Id: "1"}))
	}
}
