package main

import (
	"encoding/hex"

	"github.com/containerd/nri/pkg/api"
	rspec "github.com/opencontainers/runtime-spec/specs-go"
	"google.golang.org/protobuf/proto"
)

// readContainer returns the container that the helpers of the reference make of a spec, encoded, in hexadecimal.
func readContainer(spec *rspec.Spec) (string, error) {
	container := &api.Container{
		Annotations: spec.Annotations,
		Mounts:      api.FromOCIMounts(spec.Mounts),
		Hooks:       api.FromOCIHooks(spec.Hooks),
		Linux:       &api.LinuxContainer{},
	}
	if spec.Linux != nil {
		container.Linux = readLinux(spec.Linux)
	}
	if process := spec.Process; process != nil {
		container.Args, container.Env = process.Args, process.Env
		container.User = &api.User{
			Uid:            process.User.UID,
			Gid:            process.User.GID,
			AdditionalGids: process.User.AdditionalGids,
		}
		for _, limit := range process.Rlimits {
			container.Rlimits = append(container.Rlimits, &api.POSIXRlimit{
				Type: limit.Type,
				Hard: limit.Hard,
				Soft: limit.Soft,
			})
		}
		container.Linux.OomScoreAdj = api.Int(process.OOMScoreAdj)
		container.Linux.IoPriority = api.FromOCILinuxIOPriority(process.IOPriority)
		container.Linux.Scheduler = api.FromOCILinuxScheduler(process.Scheduler)
	}
	encoded, err := proto.Marshal(container)
	return hex.EncodeToString(encoded), err
}

func readLinux(linux *rspec.Linux) *api.LinuxContainer {
	container := &api.LinuxContainer{
		Namespaces:  api.FromOCILinuxNamespaces(linux.Namespaces),
		Devices:     api.FromOCILinuxDevices(linux.Devices),
		Resources:   api.FromOCILinuxResources(linux.Resources, nil),
		CgroupsPath: linux.CgroupsPath,
		Sysctl:      linux.Sysctl,
		NetDevices:  api.FromOCILinuxNetDevices(linux.NetDevices),
	}
	if linux.Seccomp != nil {
		container.SeccompPolicy = api.FromOCILinuxSeccomp(linux.Seccomp)
	}
	return container
}
