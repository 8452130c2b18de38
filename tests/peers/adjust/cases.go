package main

import "github.com/containerd/nri/pkg/api"

// cases are adjustments built by the helpers of the Go API. The Rust side builds the same by its own under these names.
var cases = map[string]func(*api.CreateContainerResponse){
	"empty": func(*api.CreateContainerResponse) {},
	"annotations": adjust(func(a *api.ContainerAdjustment) {
		a.AddAnnotation("example.com/one", "1")
	}),
	"annotation-replaced": adjust(func(a *api.ContainerAdjustment) {
		a.RemoveAnnotation("example.com/one")
		a.AddAnnotation("example.com/one", "2")
		a.RemoveAnnotation("example.com/two")
	}),
	"mounts": adjust(func(a *api.ContainerAdjustment) {
		a.AddMount(&api.Mount{Source: "/srv", Destination: "/data", Type: "bind", Options: []string{"rbind", "ro"}})
		a.RemoveMount("/old")
		a.RemoveMount("/tmp")
		a.AddMount(&api.Mount{Source: "tmpfs", Destination: "/tmp", Type: "tmpfs", Options: []string{"size=1m"}})
	}),
	"env": adjust(func(a *api.ContainerAdjustment) {
		a.AddEnv("PLAIN", "a=b")
		a.AddEnv("EMPTY", "")
		a.RemoveEnv("GONE")
		a.RemoveEnv("AGAIN")
		a.AddEnv("AGAIN", "1")
	}),
	"args":          adjust(func(a *api.ContainerAdjustment) { a.SetArgs([]string{"sh", "-c", "true"}) }),
	"args-replaced": adjust(func(a *api.ContainerAdjustment) { a.UpdateArgs([]string{"sh"}) }),
	"hooks": adjust(func(a *api.ContainerAdjustment) {
		seconds := 3
		hook := func(path string) []*api.Hook {
			return []*api.Hook{{Path: path, Args: []string{path, "x"}, Env: []string{"A=1"}, Timeout: api.Int(&seconds)}}
		}
		a.AddHooks(&api.Hooks{Prestart: hook("/a"), CreateRuntime: hook("/b"), CreateContainer: hook("/c")})
		a.AddHooks(&api.Hooks{StartContainer: hook("/d"), Poststart: hook("/e"), Poststop: hook("/f")})
		a.AddHooks(&api.Hooks{Poststop: hook("/g")})
	}),
	"rlimits": adjust(func(a *api.ContainerAdjustment) {
		a.AddRlimit("RLIMIT_NOFILE", 4096, 1024)
		a.AddRlimit("RLIMIT_CORE", ^uint64(0), 0)
	}),
	"cdi": adjust(func(a *api.ContainerAdjustment) { a.AddCDIDevice(&api.CDIDevice{Name: "vendor.com/gpu=0"}) }),
	"devices": adjust(func(a *api.ContainerAdjustment) {
		a.AddDevice(&api.LinuxDevice{
			Path: "/dev/fuse", Type: "c", Major: 10, Minor: 229,
			FileMode: api.FileMode(uint32(0o666)), Uid: api.UInt32(uint32(0)), Gid: api.UInt32(uint32(5)),
		})
		a.RemoveDevice("/dev/kvm")
		a.AddDevice(&api.LinuxDevice{Path: "/dev/sdx", Type: "b", Major: 8, Minor: 0})
	}),
	"namespaces": adjust(func(a *api.ContainerAdjustment) {
		a.AddOrReplaceNamespace(&api.LinuxNamespace{Type: "network", Path: "/run/netns/x"})
		a.RemoveNamespace(&api.LinuxNamespace{Type: "ipc", Path: "/ignored"})
	}),
	"sysctl": adjust(func(a *api.ContainerAdjustment) { a.SetLinuxSysctl("net.core.somaxconn", "1024") }),
	"net-device": adjust(func(a *api.ContainerAdjustment) {
		a.AddLinuxNetDevice("eth1", &api.LinuxNetDevice{Name: "net0"})
	}),
	"net-device-removed": adjust(func(a *api.ContainerAdjustment) { a.RemoveLinuxNetDevice("eth1") }),
	"memory-policy": adjust(func(a *api.ContainerAdjustment) {
		a.SetLinuxMemoryPolicy(api.MpolMode_MPOL_INTERLEAVE, "0-1", api.MpolFlag_MPOL_F_STATIC_NODES)
	}),
	"memory": adjust(func(a *api.ContainerAdjustment) {
		a.SetLinuxMemoryLimit(1 << 30)
		a.SetLinuxMemoryReservation(0)
		a.SetLinuxMemorySwap(-1)
		a.SetLinuxMemoryKernel(4096)
		a.SetLinuxMemoryKernelTCP(8192)
		a.SetLinuxMemorySwappiness(60)
		a.SetLinuxMemoryDisableOomKiller()
		a.SetLinuxMemoryUseHierarchy()
	}),
	"cpu": adjust(func(a *api.ContainerAdjustment) {
		a.SetLinuxCPUShares(512)
		a.SetLinuxCPUQuota(-1)
		a.SetLinuxCPUPeriod(100000)
		a.SetLinuxCPURealtimeRuntime(0)
		a.SetLinuxCPURealtimePeriod(1000)
		a.SetLinuxCPUSetCPUs("0-3")
		a.SetLinuxCPUSetMems("0")
	}),
	"resources": adjust(func(a *api.ContainerAdjustment) {
		a.SetLinuxPidLimits(64)
		a.AddLinuxHugepageLimit("2MB", 4<<20)
		a.AddLinuxHugepageLimit("1GB", 0)
		a.SetLinuxBlockIOClass("fast")
		a.SetLinuxRDTClass("")
		a.AddLinuxUnified("memory.high", "1G")
	}),
	"rdt": adjust(func(a *api.ContainerAdjustment) {
		a.SetLinuxRDTClosID("gold")
		a.SetLinuxRDTSchemata([]string{"L3:0=ff", "MB:0=50"})
		a.SetLinuxRDTEnableMonitoring(false)
	}),
	"rdt-removed": adjust(func(a *api.ContainerAdjustment) { a.RemoveLinuxRDT() }),
	"process": adjust(func(a *api.ContainerAdjustment) {
		score := -5
		a.SetLinuxCgroupsPath("/custom/c")
		a.SetLinuxOomScoreAdj(&score)
		a.SetLinuxIOPriority(&api.LinuxIOPriority{Class: api.IOPrioClass_IOPRIO_CLASS_BE, Priority: 4})
		a.SetLinuxScheduler(&api.LinuxScheduler{
			Policy: api.LinuxSchedulerPolicy_SCHED_FIFO, Priority: 10,
			Flags: []api.LinuxSchedulerFlag{api.LinuxSchedulerFlag_SCHED_FLAG_RESET_ON_FORK},
		})
	}),
	"seccomp": adjust(func(a *api.ContainerAdjustment) {
		a.SetLinuxSeccompPolicy(&api.LinuxSeccomp{
			DefaultAction: "SCMP_ACT_ALLOW",
			Architectures: []string{"SCMP_ARCH_X86_64"},
			Flags:         []string{"SECCOMP_FILTER_FLAG_LOG"},
			Syscalls: []*api.LinuxSyscall{{
				Names: []string{"mount"}, Action: "SCMP_ACT_ERRNO", ErrnoRet: api.UInt32(uint32(1)),
				Args: []*api.LinuxSeccompArg{{Index: 1, Value: 2, ValueTwo: 3, Op: "SCMP_CMP_EQ"}},
			}},
		})
	}),
	"updates": func(r *api.CreateContainerResponse) {
		u := &api.ContainerUpdate{}
		u.SetContainerId("other")
		u.SetLinuxCPUShares(2)
		u.SetLinuxMemoryLimit(-1)
		u.SetLinuxPidLimits(1)
		u.AddLinuxHugepageLimit("2MB", 0)
		u.AddLinuxUnified("cpu.weight", "1")
		u.SetIgnoreFailure()
		r.Update = append(r.Update, u)
		r.Evict = append(r.Evict, &api.ContainerEviction{ContainerId: "third", Reason: "too big"})
	},
}

func adjust(build func(*api.ContainerAdjustment)) func(*api.CreateContainerResponse) {
	return func(r *api.CreateContainerResponse) { build(r.Adjust) }
}
