// A plugin of v0.1.0, started once an event.
package main

import (
	"context"
	"os"

	"github.com/containerd/nri/skel"
	types "github.com/containerd/nri/types/v1"
)

type plugin struct{}

func (*plugin) Type() string { return "specimen" }

func (*plugin) Invoke(_ context.Context, r *types.Request) (*types.Result, error) {
	return r.NewResult("specimen"), nil
}

func main() {
	if err := skel.Run(context.Background(), &plugin{}); err != nil {
		os.Exit(1)
	}
}
