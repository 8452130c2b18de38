package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/containerd/nri/pkg/api"
)

// holding holds Synchronize for a time, and counts what it gets afterwards.
type holding struct {
	time    time.Duration
	reached chan struct{}
	created chan string
}

func (h *holding) Synchronize(context.Context, []*api.PodSandbox, []*api.Container) ([]*api.ContainerUpdate, error) {
	close(h.reached)
	time.Sleep(h.time)
	return nil, nil
}

func (h *holding) CreateContainer(_ context.Context, _ *api.PodSandbox, container *api.Container) (*api.ContainerAdjustment, []*api.ContainerUpdate, error) {
	h.created <- container.Id
	return nil, nil, nil
}

// synchronizeLimit creates a container while a plugin holds Synchronize, as critest does: for the limit of containerd, and for less.
func synchronizeLimit() error {
	const limit = 2 * time.Second
	for _, held := range []time.Duration{limit, limit - 500*time.Millisecond} {
		arrived, err := createWhile(held, limit)
		if err != nil {
			return err
		}
		fmt.Printf("  Synchronize held for %s, limit %s: the container arrived: %t\n", held, limit, arrived)
		if arrived != (held < limit) {
			return fmt.Errorf("held for %s, arrived: %t", held, arrived)
		}
	}
	return nil
}

// createWhile tells whether a container that is created meanwhile reaches the plugin.
func createWhile(held, limit time.Duration) (bool, error) {
	r, err := start(limit)
	if err != nil {
		return false, err
	}
	defer r.end()
	h := &holding{time: held, reached: make(chan struct{}), created: make(chan string, 1)}
	go func() {
		if s, err := r.connect("late", h); err == nil {
			s.Wait()
		}
	}()
	<-h.reached
	// The request waits for Synchronize, as in containerd.
	block := r.BlockPluginSync()
	container := &api.Container{Id: "89ab", PodSandboxId: pod().Id, Name: "server"}
	_, err = r.CreateContainer(context.Background(), &api.CreateContainerRequest{Pod: pod(), Container: container})
	block.Unblock()
	r.logged.print(os.Stdout)
	return len(h.created) == 1, err
}
