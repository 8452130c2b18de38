package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/containerd/nri/pkg/adaptation"
	"github.com/containerd/nri/pkg/api"
	validator "github.com/containerd/nri/plugins/default-validator"
)

// slow answers RunPodSandbox too late.
type slow struct {
	synced
	wait time.Duration
}

func (s *slow) RunPodSandbox(context.Context, *api.PodSandbox) error {
	time.Sleep(s.wait)
	return nil
}

// requiredPlugin runs a pod that requires a plugin, which does not answer in time.
func requiredPlugin() error {
	const limit = 500 * time.Millisecond
	r, err := start(limit, adaptation.WithDefaultValidator(&validator.DefaultValidatorConfig{Enable: true}))
	if err != nil {
		return err
	}
	defer r.end()
	plugin := &slow{synced: newSynced(), wait: 2 * limit}
	s, err := r.connect("network", plugin)
	if err != nil {
		return err
	}
	defer s.Stop()
	r.settle(plugin.synced)

	pod := pod()
	pod.Annotations = map[string]string{validator.RequiredPlugins: `["network"]`}
	failure := r.RunPodSandbox(context.Background(), &api.RunPodSandboxRequest{Pod: pod})
	r.logged.print(os.Stdout)
	fmt.Println("  RunPodSandbox:", failure)
	if failure != nil {
		return fmt.Errorf("the pod was refused: %w", failure)
	}
	container := &api.Container{Id: "89ab", PodSandboxId: pod.Id, Name: "server"}
	_, failure = r.CreateContainer(context.Background(), &api.CreateContainerRequest{Pod: pod, Container: container})
	fmt.Println("  CreateContainer:", failure)
	return nil
}
