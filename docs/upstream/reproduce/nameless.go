package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/containerd/nri/pkg/api"
)

// failing returns an error to every request.
type failing struct{ synced }

var errFailed = errors.New("no such device")

func (failing) RunPodSandbox(context.Context, *api.PodSandbox) error    { return errFailed }
func (failing) StopPodSandbox(context.Context, *api.PodSandbox) error   { return errFailed }
func (failing) RemovePodSandbox(context.Context, *api.PodSandbox) error { return errFailed }
func (failing) CreateContainer(context.Context, *api.PodSandbox, *api.Container) (*api.ContainerAdjustment, []*api.ContainerUpdate, error) {
	return nil, nil, errFailed
}
func (failing) StartContainer(context.Context, *api.PodSandbox, *api.Container) error {
	return errFailed
}
func (failing) StopContainer(context.Context, *api.PodSandbox, *api.Container) ([]*api.ContainerUpdate, error) {
	return nil, errFailed
}

// namelessErrors prints what a runtime gets, and prints, for the error of a plugin.
func namelessErrors() error {
	r, err := start(2 * time.Second)
	if err != nil {
		return err
	}
	defer r.end()
	plugin := failing{newSynced()}
	s, err := r.connect("device", plugin)
	if err != nil {
		return err
	}
	defer s.Stop()
	r.settle(plugin.synced)

	ctx, pod := context.Background(), pod()
	container := &api.Container{Id: "89ab", PodSandboxId: pod.Id, Name: "server"}
	_, create := r.CreateContainer(ctx, &api.CreateContainerRequest{Pod: pod, Container: container})
	_, stop := r.StopContainer(ctx, &api.StopContainerRequest{Pod: pod, Container: container})
	for _, one := range []struct {
		request string
		err     error
	}{
		{"RunPodSandbox", r.RunPodSandbox(ctx, &api.RunPodSandboxRequest{Pod: pod})},
		{"CreateContainer", create},
		{"StartContainer", r.StartContainer(ctx, &api.StartContainerRequest{Pod: pod, Container: container})},
		{"StopContainer", stop},
		{"StopPodSandbox", r.StopPodSandbox(ctx, &api.StopPodSandboxRequest{Pod: pod})},
		{"RemovePodSandbox", r.RemovePodSandbox(ctx, &api.RemovePodSandboxRequest{Pod: pod})},
	} {
		fmt.Printf("  %s: %v\n", one.request, one.err)
		if one.err == nil || strings.Contains(one.err.Error(), "10-device") {
			return fmt.Errorf("%s: %w", one.request, one.err)
		}
	}
	return nil
}
