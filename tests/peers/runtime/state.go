package main

import (
	"fmt"

	"github.com/containerd/nri/pkg/adaptation"

	"nri-tests/peers/internal/pad"
)

// state is what plugins are synchronized with.
type state struct {
	pods       []*adaptation.PodSandbox
	containers []*adaptation.Container
}

// newState makes pods and containers, each with an annotation of padding bytes.
// Containers are spread over the pods in turn.
func newState(pods, containers, padding int) state {
	var s state
	for i := range pods {
		s.pods = append(s.pods, newPod(i, padding))
	}
	for i := range containers {
		s.containers = append(s.containers, newContainer(i, i%max(pods, 1), padding))
	}
	return s
}

func newPod(i, padding int) *adaptation.PodSandbox {
	return &adaptation.PodSandbox{
		Id:          podID(i),
		Name:        fmt.Sprintf("pod-%d", i),
		Uid:         fmt.Sprintf("uid-%d", i),
		Namespace:   "default",
		Labels:      tenPairs("label"),
		Annotations: withPad(tenPairs("annotation"), padding),
	}
}

func newContainer(i, pod, padding int) *adaptation.Container {
	return &adaptation.Container{
		Id:           fmt.Sprintf("container-%d", i),
		PodSandboxId: podID(pod),
		Name:         fmt.Sprintf("ctr-%d", i),
		Labels:       tenPairs("label"),
		Annotations:  withPad(tenPairs("annotation"), padding),
		Args:         []string{"sleep", "3600"},
		Env:          []string{"PATH=/usr/bin:/bin", "HOME=/"},
		// The adaptation adds these where they are missing, which would make a
		// request larger than it was asked to be.
		Hooks: &adaptation.Hooks{},
		Linux: &adaptation.LinuxContainer{Resources: &adaptation.LinuxResources{
			Memory: &adaptation.LinuxMemory{},
			Cpu:    &adaptation.LinuxCPU{},
		}},
	}
}

func podID(i int) string { return fmt.Sprintf("sandbox-%d", i) }

func tenPairs(kind string) map[string]string {
	pairs := map[string]string{}
	for i := range 10 {
		pairs[fmt.Sprintf("example.org/%s-%d", kind, i)] = fmt.Sprintf("value-%d", i)
	}
	return pairs
}

func withPad(annotations map[string]string, bytes int) map[string]string {
	if bytes > 0 {
		annotations[pad.Key] = pad.Text(bytes)
	}
	return annotations
}
