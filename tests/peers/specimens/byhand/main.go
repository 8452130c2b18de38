// Serves the protocol without the stub, every call of it by its own code.
package main

import (
	"context"
	"log"
	"net"

	"github.com/containerd/nri/pkg/api"
	"github.com/containerd/ttrpc"
)

type service struct{ api.PluginService }

func main() {
	server, err := ttrpc.NewServer()
	if err != nil {
		log.Fatal(err)
	}
	api.RegisterPluginService(server, &service{})
	listener, err := net.Listen("unix", "specimen.sock")
	if err == nil {
		err = server.Serve(context.Background(), listener)
	}
	log.Fatal(err)
}
