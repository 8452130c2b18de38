// Command cri does what a kubelet does, one request a run:
//
//	cri SOCKET run NAME [KEY=VALUE…]        start a pod with annotations
//	cri SOCKET create POD NAME [KEY=VALUE…] create a container in it
//	cri SOCKET start|update|stop|remove CONTAINER
//	cri SOCKET update-pod|stop-pod|remove-pod POD
//	cri SOCKET exec CONTAINER COMMAND…
package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

const (
	image   = "localhost/pause:1"
	timeout = 30 * time.Second
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 3 {
		return fmt.Errorf("usage: cri SOCKET COMMAND ARGUMENT…")
	}
	conn, err := grpc.NewClient("unix://"+args[0], grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	c := client{ctx, cri.NewRuntimeServiceClient(conn)}
	text, err := c.request(args[1], args[2], args[3:])
	if err == nil && text != "" {
		fmt.Println(strings.TrimSpace(text))
	}
	return err
}

type client struct {
	ctx     context.Context
	runtime cri.RuntimeServiceClient
}

func (c client) request(command, id string, rest []string) (text string, err error) {
	switch command {
	case "run":
		return c.runPod(id, rest)
	case "create":
		return c.create(id, rest)
	case "exec":
		return c.exec(id, rest)
	case "start":
		_, err = c.runtime.StartContainer(c.ctx, &cri.StartContainerRequest{ContainerId: id})
	case "update":
		_, err = c.runtime.UpdateContainerResources(c.ctx, &cri.UpdateContainerResourcesRequest{ContainerId: id, Linux: limits()})
	case "stop":
		_, err = c.runtime.StopContainer(c.ctx, &cri.StopContainerRequest{ContainerId: id, Timeout: 5})
	case "remove":
		_, err = c.runtime.RemoveContainer(c.ctx, &cri.RemoveContainerRequest{ContainerId: id})
	case "update-pod":
		_, err = c.runtime.UpdatePodSandboxResources(c.ctx, &cri.UpdatePodSandboxResourcesRequest{PodSandboxId: id, Overhead: &cri.LinuxContainerResources{}, Resources: limits()})
	case "stop-pod":
		_, err = c.runtime.StopPodSandbox(c.ctx, &cri.StopPodSandboxRequest{PodSandboxId: id})
	case "remove-pod":
		_, err = c.runtime.RemovePodSandbox(c.ctx, &cri.RemovePodSandboxRequest{PodSandboxId: id})
	default:
		err = fmt.Errorf("unknown command %q", command)
	}
	return "", err
}

// limits are the requests and limits of a container with half a CPU and 128 MiB.
func limits() *cri.LinuxContainerResources {
	return &cri.LinuxContainerResources{
		CpuShares: 512, CpuQuota: 50_000, CpuPeriod: 100_000,
		MemoryLimitInBytes: 128 << 20, MemorySwapLimitInBytes: 128 << 20, OomScoreAdj: 996,
	}
}

// namespaces are those of a pod on the host network, which needs no network plugin.
func namespaces() *cri.NamespaceOption {
	return &cri.NamespaceOption{Network: cri.NamespaceMode_NODE, Pid: cri.NamespaceMode_CONTAINER}
}

func labels(pod string) map[string]string {
	return map[string]string{
		"app": "conformance", "io.kubernetes.pod.name": pod,
		"io.kubernetes.pod.namespace": "default", "io.kubernetes.pod.uid": "uid-" + pod,
	}
}

func podConfig(name string, annotations map[string]string) *cri.PodSandboxConfig {
	return &cri.PodSandboxConfig{
		Metadata:     &cri.PodSandboxMetadata{Name: name, Uid: "uid-" + name, Namespace: "default"},
		LogDirectory: os.TempDir(),
		Labels:       labels(name),
		Annotations:  annotations,
		Linux: &cri.LinuxPodSandboxConfig{
			SecurityContext: &cri.LinuxSandboxSecurityContext{NamespaceOptions: namespaces()},
			Overhead:        &cri.LinuxContainerResources{},
			Resources:       limits(),
		},
	}
}

func containerConfig(pod, name string, annotations map[string]string) *cri.ContainerConfig {
	own := labels(pod)
	own["io.kubernetes.container.name"] = name
	return &cri.ContainerConfig{
		Metadata:    &cri.ContainerMetadata{Name: name},
		Image:       &cri.ImageSpec{Image: image, UserSpecifiedImage: image},
		Labels:      own,
		Annotations: annotations,
		Mounts:      []*cri.Mount{{ContainerPath: "/etc/hosts", HostPath: "/etc/hosts"}},
		LogPath:     name + ".log",
		Linux: &cri.LinuxContainerConfig{
			Resources:       limits(),
			SecurityContext: &cri.LinuxContainerSecurityContext{NamespaceOptions: namespaces()},
		},
	}
}

func (c client) runPod(name string, annotations []string) (string, error) {
	answer, err := c.runtime.RunPodSandbox(c.ctx, &cri.RunPodSandboxRequest{Config: podConfig(name, pairs(annotations))})
	return answer.GetPodSandboxId(), err
}

func (c client) create(pod string, args []string) (string, error) {
	if len(args) == 0 {
		return "", fmt.Errorf("create needs a name")
	}
	status, err := c.runtime.PodSandboxStatus(c.ctx, &cri.PodSandboxStatusRequest{PodSandboxId: pod})
	if err != nil {
		return "", err
	}
	answer, err := c.runtime.CreateContainer(c.ctx, &cri.CreateContainerRequest{
		PodSandboxId: pod,
		Config:        containerConfig(status.Status.Metadata.Name, args[0], pairs(args[1:])),
		SandboxConfig: podConfig(status.Status.Metadata.Name, status.Status.Annotations),
	})
	return answer.GetContainerId(), err
}

func (c client) exec(container string, command []string) (string, error) {
	answer, err := c.runtime.ExecSync(c.ctx, &cri.ExecSyncRequest{ContainerId: container, Cmd: command, Timeout: 10})
	return string(answer.GetStdout()), err
}

func pairs(list []string) map[string]string {
	all := map[string]string{}
	for _, pair := range list {
		key, value, _ := strings.Cut(pair, "=")
		all[key] = value
	}
	return all
}
