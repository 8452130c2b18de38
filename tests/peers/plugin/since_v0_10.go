//go:build !nri_before_v0_10

package main

import (
	"context"

	"github.com/containerd/nri/pkg/api"
)

func (p *plugin) UpdatePodSandbox(_ context.Context, pod *api.PodSandbox, _, _ *api.LinuxResources) error {
	return p.handle("UpdatePodSandbox", pod, nil)
}

func (p *plugin) PostUpdatePodSandbox(_ context.Context, pod *api.PodSandbox) error {
	return p.handle("PostUpdatePodSandbox", pod, nil)
}

func (p *plugin) ValidateContainerAdjustment(_ context.Context, req *api.ValidateContainerAdjustmentRequest) error {
	return p.handle("ValidateContainerAdjustment", req.GetPod(), req.GetContainer())
}
