package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/containerd/nri/pkg/api"
	"github.com/containerd/nri/pkg/stub"

	"nri-tests/peers/internal/pad"
)

type line = map[string]any

type plugin struct {
	settings
	stub stub.Stub
}

func (p *plugin) print(l line) {
	if p.quiet {
		return
	}
	text, err := json.Marshal(l)
	if err == nil {
		_, err = fmt.Printf("%s\n", text)
	}
	if err != nil {
		os.Exit(1)
	}
}

func (p *plugin) Synchronize(_ context.Context, pods []*api.PodSandbox, containers []*api.Container) ([]*api.ContainerUpdate, error) {
	p.print(line{"event": "Synchronize", "pods": len(pods), "containers": len(containers)})
	return nil, nil
}

func (p *plugin) RunPodSandbox(_ context.Context, pod *api.PodSandbox) error {
	return p.handle("RunPodSandbox", pod, nil)
}

func (p *plugin) StopPodSandbox(_ context.Context, pod *api.PodSandbox) error {
	return p.handle("StopPodSandbox", pod, nil)
}

func (p *plugin) RemovePodSandbox(_ context.Context, pod *api.PodSandbox) error {
	return p.handle("RemovePodSandbox", pod, nil)
}

func (p *plugin) PostCreateContainer(_ context.Context, pod *api.PodSandbox, container *api.Container) error {
	return p.handle("PostCreateContainer", pod, container)
}

func (p *plugin) StartContainer(_ context.Context, pod *api.PodSandbox, container *api.Container) error {
	return p.handle("StartContainer", pod, container)
}

func (p *plugin) PostStartContainer(_ context.Context, pod *api.PodSandbox, container *api.Container) error {
	if id := pod.GetAnnotations()["peer/unsolicited"]; id != "" {
		go p.updateUnsolicited(id)
	}
	return p.handle("PostStartContainer", pod, container)
}

func (p *plugin) PostUpdateContainer(_ context.Context, pod *api.PodSandbox, container *api.Container) error {
	return p.handle("PostUpdateContainer", pod, container)
}

func (p *plugin) RemoveContainer(_ context.Context, pod *api.PodSandbox, container *api.Container) error {
	return p.handle("RemoveContainer", pod, container)
}

func (p *plugin) CreateContainer(_ context.Context, pod *api.PodSandbox, container *api.Container) (*api.ContainerAdjustment, []*api.ContainerUpdate, error) {
	if err := p.handle("CreateContainer", pod, container); err != nil {
		return nil, nil, err
	}
	return p.adjustment(pod), updates(pod), nil
}

func (p *plugin) UpdateContainer(_ context.Context, pod *api.PodSandbox, container *api.Container, _ *api.LinuxResources) ([]*api.ContainerUpdate, error) {
	return updates(pod), p.handle("UpdateContainer", pod, container)
}

func (p *plugin) StopContainer(_ context.Context, pod *api.PodSandbox, container *api.Container) ([]*api.ContainerUpdate, error) {
	return updates(pod), p.handle("StopContainer", pod, container)
}

// handle logs an event and does what annotations ask for.
func (p *plugin) handle(event string, pod *api.PodSandbox, container *api.Container) error {
	annotations := pod.GetAnnotations()
	p.print(describe(event, pod, container))
	if on := annotations["peer/on"]; on != "" && on != event {
		return nil
	}
	if ms, err := strconv.Atoi(annotations["peer/sleep-ms"]); err == nil {
		time.Sleep(time.Duration(ms) * time.Millisecond)
	}
	if code, err := strconv.Atoi(annotations["peer/exit"]); err == nil {
		os.Exit(code)
	}
	if text := annotations["peer/error"]; text != "" {
		return errors.New(text)
	}
	return nil
}

func describe(event string, pod *api.PodSandbox, container *api.Container) line {
	l := line{"event": event, "pod": pod.GetId()}
	if container != nil {
		l["container"] = container.GetId()
	}
	if text, ok := pod.GetAnnotations()[pad.Key]; ok {
		l["pad_bytes"], l["intact"] = len(text), pad.Intact(text)
	}
	return l
}

func (p *plugin) adjustment(pod *api.PodSandbox) *api.ContainerAdjustment {
	adjustment := &api.ContainerAdjustment{}
	for i := range p.annotate {
		adjustment.AddAnnotation(fmt.Sprintf("example.org/added-%d", i), fmt.Sprintf("value-%d", i))
	}
	if bytes, err := strconv.Atoi(pod.GetAnnotations()["peer/adjust-bytes"]); err == nil {
		adjustment.AddAnnotation(pad.Key, pad.Text(bytes))
	}
	return adjustment
}

func updates(pod *api.PodSandbox) []*api.ContainerUpdate {
	id := pod.GetAnnotations()["peer/update"]
	if id == "" {
		return nil
	}
	return []*api.ContainerUpdate{update(id)}
}

func update(id string) *api.ContainerUpdate {
	u := &api.ContainerUpdate{}
	u.SetContainerId(id)
	u.SetLinuxCPUShares(123)
	return u
}

func (p *plugin) updateUnsolicited(id string) {
	failed, err := p.stub.UpdateContainers([]*api.ContainerUpdate{update(id)})
	l := line{"event": "updated", "failed": len(failed)}
	if err != nil {
		l["error"] = err.Error()
	}
	p.print(l)
}
