//go:build !nri_before_v0_12

package main

import (
	"context"

	"github.com/containerd/nri/pkg/api"
)

func (plugin) RunPodSandbox(ctx context.Context, r *api.RunPodSandboxRequest) (*api.RunPodSandboxResponse, error) {
	return &api.RunPodSandboxResponse{}, take(ctx, "RunPodSandbox", r.GetPod(), nil)
}

func (plugin) PostUpdatePodSandbox(ctx context.Context, r *api.PostUpdatePodSandboxRequest) (*api.PostUpdatePodSandboxResponse, error) {
	return &api.PostUpdatePodSandboxResponse{}, take(ctx, "PostUpdatePodSandbox", r.GetPod(), nil)
}

func (plugin) StopPodSandbox(ctx context.Context, r *api.StopPodSandboxRequest) (*api.StopPodSandboxResponse, error) {
	return &api.StopPodSandboxResponse{}, take(ctx, "StopPodSandbox", r.GetPod(), nil)
}

func (plugin) RemovePodSandbox(ctx context.Context, r *api.RemovePodSandboxRequest) (*api.RemovePodSandboxResponse, error) {
	return &api.RemovePodSandboxResponse{}, take(ctx, "RemovePodSandbox", r.GetPod(), nil)
}

func (plugin) PostCreateContainer(ctx context.Context, r *api.PostCreateContainerRequest) (*api.PostCreateContainerResponse, error) {
	return &api.PostCreateContainerResponse{}, take(ctx, "PostCreateContainer", r.GetPod(), r.GetContainer())
}

func (plugin) StartContainer(ctx context.Context, r *api.StartContainerRequest) (*api.StartContainerResponse, error) {
	return &api.StartContainerResponse{}, take(ctx, "StartContainer", r.GetPod(), r.GetContainer())
}

func (plugin) PostStartContainer(ctx context.Context, r *api.PostStartContainerRequest) (*api.PostStartContainerResponse, error) {
	return &api.PostStartContainerResponse{}, take(ctx, "PostStartContainer", r.GetPod(), r.GetContainer())
}

func (plugin) PostUpdateContainer(ctx context.Context, r *api.PostUpdateContainerRequest) (*api.PostUpdateContainerResponse, error) {
	return &api.PostUpdateContainerResponse{}, take(ctx, "PostUpdateContainer", r.GetPod(), r.GetContainer())
}

func (plugin) RemoveContainer(ctx context.Context, r *api.RemoveContainerRequest) (*api.RemoveContainerResponse, error) {
	return &api.RemoveContainerResponse{}, take(ctx, "RemoveContainer", r.GetPod(), r.GetContainer())
}
