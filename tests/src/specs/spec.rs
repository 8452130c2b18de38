//! Random specs.

use serde_json::{Map, Value, json};

use super::{
    ACTIONS, ARCHITECTURES, DEVICE_TYPES, NAMESPACES, OPERATORS, PAGE_SIZES, RLIMITS, RULE_TYPES,
    SECCOMP_FLAGS, Specs,
};

type Make = fn(&mut Specs) -> Value;

impl Specs {
    /// Returns a spec as JSON. One in ten has no process, and one in ten has no Linux part.
    pub fn spec(&mut self) -> Value {
        let mut spec = self.object(&[
            ("root", |_| json!({"path": "rootfs", "readonly": true})),
            ("hostname", |it| it.text().into()),
            ("mounts", |it| it.mounts()),
            ("annotations", |it| it.texts()),
            ("hooks", |it| it.hooks()),
        ]);
        spec["ociVersion"] = "1.3.0".into();
        if !self.rarely(10) {
            spec["process"] = self.process();
        }
        if !self.rarely(10) {
            spec["linux"] = self.linux();
        }
        spec
    }

    /// Returns an object that has some of these fields.
    fn object(&mut self, fields: &[(&str, Make)]) -> Value {
        let mut object = Map::new();
        for (name, make) in fields {
            if self.some() {
                object.insert((*name).to_owned(), make(self));
            }
        }
        Value::Object(object)
    }

    fn values(&mut self, make: Make) -> Value {
        self.list(make).into()
    }

    fn text_value(&mut self) -> Value {
        self.text().into()
    }

    fn name_value(&mut self) -> Value {
        self.name().into()
    }

    fn texts(&mut self) -> Value {
        let entries = self.list(|it| (it.name(), it.text().into()));
        Value::Object(entries.into_iter().collect())
    }

    fn mounts(&mut self) -> Value {
        let many = if self.rarely(20) { 20 } else { 0 };
        let mut mounts: Vec<Value> = (0..many).map(|_| self.mount()).collect();
        mounts.extend(self.list(Self::mount));
        mounts.into()
    }

    fn mount(&mut self) -> Value {
        let mut mount = self.object(&[
            ("type", |it| it.text().into()),
            ("source", |it| it.text().into()),
            ("options", |it| it.values(Self::text_value)),
        ]);
        let below = self.choose(&["", "", "/sub", "/sub/../sub2", "/"]);
        mount["destination"] = (self.name() + below).into();
        mount
    }

    fn hooks(&mut self) -> Value {
        let hooks: Make = |it| it.values(Self::hook);
        self.object(&[
            ("prestart", hooks),
            ("createRuntime", hooks),
            ("createContainer", hooks),
            ("startContainer", hooks),
            ("poststart", hooks),
            ("poststop", hooks),
        ])
    }

    fn hook(&mut self) -> Value {
        let mut hook = self.object(&[
            ("args", |it| it.values(Self::text_value)),
            ("env", |it| it.values(Self::text_value)),
            ("timeout", |it| it.rng.u8(..).into()),
        ]);
        hook["path"] = self.name().into();
        hook
    }

    fn process(&mut self) -> Value {
        let mut process = self.object(&[
            ("args", |it| it.values(Self::text_value)),
            ("env", |it| it.values(Self::variable)),
            ("rlimits", |it| it.rlimits()),
            ("oomScoreAdj", |it| it.rng.i32(-1000..=1000).into()),
            ("noNewPrivileges", |it| it.rng.bool().into()),
            ("apparmorProfile", |it| it.text().into()),
            ("capabilities", |_| json!({"bounding": ["CAP_CHOWN"]})),
            ("ioPriority", |it| {
                json!({"class": "IOPRIO_CLASS_BE", "priority": it.rng.u8(..8)})
            }),
            ("scheduler", |it| {
                let flags = ["SCHED_FLAG_RESET_ON_FORK", "SCHED_FLAG_DL_OVERRUN"];
                json!({"policy": "SCHED_BATCH", "nice": it.rng.i32(-20..20), "flags": [it.choose(&flags)]})
            }),
        ]);
        process["user"] = json!({"uid": self.rng.u8(..), "gid": 0, "additionalGids": [1, 2]});
        process["cwd"] = "/".into();
        process
    }

    /// Returns an environment variable. A few have no value or no name.
    fn variable(&mut self) -> Value {
        match self.rng.usize(..20) {
            0 => format!("bare {}", self.text()).into(),
            1 => "=nameless".into(),
            2 => format!("{}=a=b", self.name()).into(),
            _ => format!("{}={}", self.name(), self.text()).into(),
        }
    }

    fn rlimits(&mut self) -> Value {
        let kinds = self.some_of(&RLIMITS);
        let limits = kinds
            .into_iter()
            .map(|kind| json!({"type": kind, "hard": self.rng.u64(..), "soft": self.rng.u64(..)}));
        limits.collect()
    }

    fn some_of<T: Copy>(&mut self, all: &[T]) -> Vec<T> {
        let mut some = all.to_vec();
        some.retain(|_| self.some());
        self.rng.shuffle(&mut some);
        some
    }

    fn linux(&mut self) -> Value {
        self.object(&[
            ("devices", |it| it.values(Self::device)),
            ("namespaces", |it| it.namespaces()),
            ("sysctl", |it| it.texts()),
            ("resources", |it| it.spec_resources()),
            ("cgroupsPath", |it| it.text().into()),
            ("seccomp", |it| it.seccomp()),
            ("intelRdt", |it| it.intel_rdt()),
            ("netDevices", |it| it.net_devices()),
            ("memoryPolicy", |it| {
                json!({"mode": "MPOL_BIND", "nodes": it.text(), "flags": ["MPOL_F_STATIC_NODES"]})
            }),
            ("rootfsPropagation", |it| {
                it.choose(&["private", "rslave", "rshared", "slave"]).into()
            }),
            ("maskedPaths", |it| it.values(Self::name_value)),
            ("readonlyPaths", |it| it.values(Self::name_value)),
            ("mountLabel", |it| it.text().into()),
            ("uidMappings", |_| json!([{"containerID": 0, "hostID": 5, "size": 9}])),
            ("timeOffsets", |_| json!({"boottime": {"secs": 5}})),
            ("personality", |_| json!({"domain": "LINUX32"})),
        ])
    }

    fn intel_rdt(&mut self) -> Value {
        self.object(&[
            ("closID", |it| it.text().into()),
            ("schemata", |it| it.values(Self::text_value)),
            ("l3CacheSchema", |it| it.text().into()),
            ("memBwSchema", |it| it.text().into()),
            ("enableMonitoring", |it| it.rng.bool().into()),
        ])
    }

    fn net_devices(&mut self) -> Value {
        let devices = self.list(|it| (it.name(), json!({"name": it.text()})));
        Value::Object(devices.into_iter().collect())
    }

    fn device(&mut self) -> Value {
        let mut device = self.object(&[
            ("major", |it| it.rng.u8(..).into()),
            ("minor", |it| it.rng.u8(..).into()),
            ("fileMode", |it| it.rng.u16(..0o1000).into()),
            ("uid", |it| it.rng.u8(..).into()),
            ("gid", |it| it.rng.u8(..).into()),
        ]);
        device["path"] = self.name().into();
        device["type"] = self.choose(&DEVICE_TYPES).into();
        device
    }

    fn namespaces(&mut self) -> Value {
        let kinds = self.some_of(&NAMESPACES);
        let namespaces = kinds.into_iter().map(|kind| {
            let mut namespace = self.object(&[("path", |it| it.text().into())]);
            namespace["type"] = kind.into();
            namespace
        });
        namespaces.collect()
    }

    fn spec_resources(&mut self) -> Value {
        self.object(&[
            ("memory", |it| it.memory()),
            ("cpu", |it| it.cpu()),
            ("pids", |it| it.pids()),
            ("hugepageLimits", |it| it.hugepages()),
            ("unified", |it| it.texts()),
            ("devices", |it| it.values(Self::device_rule)),
            ("blockIO", |it| json!({"weight": it.rng.u16(..), "weightDevice": [{"major": 8, "minor": 0, "weight": 5}]})),
            ("network", |_| json!({"classID": 7, "priorities": [{"name": "eth0", "priority": 1}]})),
            ("rdma", |_| json!({"mlx5_1": {"hcaHandles": 3}})),
        ])
    }

    fn memory(&mut self) -> Value {
        self.object(&[
            ("limit", |it| it.rng.i64(..).into()),
            ("swap", |it| it.rng.i64(..).into()),
            ("reservation", |it| it.rng.i64(..).into()),
            ("kernel", |it| it.rng.i64(..).into()),
            ("swappiness", |it| it.rng.u8(..).into()),
            ("checkBeforeUpdate", |it| it.rng.bool().into()),
        ])
    }

    fn cpu(&mut self) -> Value {
        self.object(&[
            ("shares", |it| it.rng.u64(..).into()),
            ("quota", |it| it.rng.i64(..).into()),
            ("burst", |it| it.rng.u64(..).into()),
            ("cpus", |it| it.text().into()),
            ("idle", |it| it.rng.i64(..).into()),
        ])
    }

    fn pids(&mut self) -> Value {
        self.object(&[("limit", |it| it.rng.i16(..).into())])
    }

    fn device_rule(&mut self) -> Value {
        json!({"allow": self.rng.bool(), "type": self.choose(&["a", "b", "c"]), "access": "rwm"})
    }

    fn hugepages(&mut self) -> Value {
        let sizes = self.some_of(&PAGE_SIZES);
        let limits =
            sizes.into_iter().map(|size| json!({"pageSize": size, "limit": self.rng.u64(..)}));
        limits.collect()
    }

    fn seccomp(&mut self) -> Value {
        let mut policy = self.object(&[
            ("defaultErrnoRet", |it| it.rng.u8(..).into()),
            ("architectures", |it| it.values(|specs| specs.choose(&ARCHITECTURES).into())),
            ("flags", |it| it.values(|specs| specs.choose(&SECCOMP_FLAGS).into())),
            ("listenerPath", |it| it.text().into()),
            ("syscalls", |it| it.values(Self::seccomp_rule)),
        ]);
        policy["defaultAction"] = self.choose(&ACTIONS).into();
        policy
    }

    fn seccomp_rule(&mut self) -> Value {
        let op = self.choose(&OPERATORS);
        let args = json!([{"index": 1, "value": 2, "valueTwo": 3, "op": op}]);
        json!({"names": [self.text()], "action": self.choose(&ACTIONS), "args": args})
    }

    pub(super) fn rule_type(&mut self) -> String {
        self.choose(&RULE_TYPES).to_owned()
    }
}
