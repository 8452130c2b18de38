// Command go is a WebAssembly plugin on the Go API. It logs every event, adds an
// annotation to each container, and fails or panics as the annotation
// wasm.example.org/do of the pod says.
package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/containerd/nri/pkg/api"
)

type plugin struct{}

func init() { api.RegisterPlugin(plugin{}) }

// The host calls the exported functions; nothing runs by itself.
func main() {}

func say(ctx context.Context, format string, args ...any) {
	line := &api.LogRequest{Msg: fmt.Sprintf(format, args...), Level: api.LogRequest_LEVEL_INFO}
	api.NewHostFunctions().Log(ctx, line)
}

// take logs an event, then misbehaves if the pod asks for it.
func take(ctx context.Context, event string, pod *api.PodSandbox, container *api.Container) error {
	say(ctx, "event %s %s/%s", event, pod.GetName(), container.GetName())
	switch do := pod.GetAnnotations()["wasm.example.org/do"]; do {
	case "":
		return nil
	case "panic":
		panic("panicked on request")
	case "spin":
		for {
		}
	default:
		return errors.New("failed on request")
	}
}

func (plugin) Configure(ctx context.Context, r *api.ConfigureRequest) (*api.ConfigureResponse, error) {
	say(ctx, "configured %q", r.GetConfig())
	return &api.ConfigureResponse{}, nil
}

func (plugin) Synchronize(ctx context.Context, r *api.SynchronizeRequest) (*api.SynchronizeResponse, error) {
	say(ctx, "synchronized %d pods, %d containers", len(r.GetPods()), len(r.GetContainers()))
	return &api.SynchronizeResponse{}, nil
}

func (plugin) Shutdown(context.Context, *api.Empty) (*api.Empty, error) { return &api.Empty{}, nil }

func (plugin) CreateContainer(ctx context.Context, r *api.CreateContainerRequest) (*api.CreateContainerResponse, error) {
	adjust := &api.ContainerAdjustment{}
	adjust.AddAnnotation("wasm.example.org/created-in", r.GetPod().GetName())
	return &api.CreateContainerResponse{Adjust: adjust}, take(ctx, "CreateContainer", r.GetPod(), r.GetContainer())
}

func (plugin) UpdateContainer(ctx context.Context, r *api.UpdateContainerRequest) (*api.UpdateContainerResponse, error) {
	return &api.UpdateContainerResponse{}, take(ctx, "UpdateContainer", r.GetPod(), r.GetContainer())
}

func (plugin) StopContainer(ctx context.Context, r *api.StopContainerRequest) (*api.StopContainerResponse, error) {
	return &api.StopContainerResponse{}, take(ctx, "StopContainer", r.GetPod(), r.GetContainer())
}

func (plugin) UpdatePodSandbox(ctx context.Context, r *api.UpdatePodSandboxRequest) (*api.UpdatePodSandboxResponse, error) {
	return &api.UpdatePodSandboxResponse{}, take(ctx, "UpdatePodSandbox", r.GetPod(), nil)
}

func (plugin) ValidateContainerAdjustment(ctx context.Context, r *api.ValidateContainerAdjustmentRequest) (*api.ValidateContainerAdjustmentResponse, error) {
	return &api.ValidateContainerAdjustmentResponse{}, take(ctx, "ValidateContainerAdjustment", r.GetPod(), r.GetContainer())
}

func (plugin) StateChange(ctx context.Context, r *api.StateChangeEvent) (*api.Empty, error) {
	return &api.Empty{}, take(ctx, "StateChange:"+r.GetEvent().String(), r.GetPod(), r.GetContainer())
}
