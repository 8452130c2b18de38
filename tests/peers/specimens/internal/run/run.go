// Package run starts a plugin on NRI's stub.
package run

import (
	"context"
	"log"

	"github.com/containerd/nri/pkg/stub"
)

// Plugin runs p until its connection ends.
func Plugin(p any) {
	s, err := stub.New(p, stub.WithPluginName("specimen"), stub.WithPluginIdx("10"))
	if err == nil {
		err = s.Run(context.Background())
	}
	if err != nil {
		log.Fatal(err)
	}
}
