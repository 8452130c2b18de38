//! A whole cluster of one node.

use std::fs;

use super::{ControlPlane, Image, Kubectl, User};
use crate::machine::{Host, Machine, run_on};
use crate::peers;
use crate::process::{Process, Stream};
use crate::registry::{Demands, RealRegistry};

/// The name of the node.
pub const NODE: &str = "node-1";

/// The release of containerd on it.
pub const CONTAINERD: &str = "v2.4.2";

/// The folder with the manifests of static pods.
const STATIC_PODS: &str = "/etc/kubernetes/manifests";

/// The path of an image while it is imported or pushed.
const ARCHIVE: &str = "/var/tmp/image.tar";

const KUBELET: User = User { name: "system:node:node-1", group: "system:nodes" };
const SCHEDULER: User = User { name: "system:kube-scheduler", group: "" };
const CONTROLLERS: User = User { name: "system:kube-controller-manager", group: "" };

/// An API server with controller manager and scheduler, a node with kubelet, containerd and the
/// network `ptp`, and a registry, all on a separate machine.
#[derive(Debug)]
pub struct Cluster {
    // Fields are dropped in this order.
    kubelet: Process,
    scheduler: Process,
    controllers: Process,
    plane: ControlPlane,
    containerd: Process,
    registry: RealRegistry,
    machine: Machine,
}

impl Cluster {
    /// Starts everything, with images in the registry and with files on the node, and returns once
    /// the node is ready.
    ///
    /// # Panics
    ///
    /// Panics if something cannot be built or does not start.
    #[must_use]
    pub fn start(images: &[Image<'_>], files: &[(&str, &[u8])]) -> Self {
        let machine = Machine::start(NODE);
        write_files(&machine, files);
        let containerd = start_containerd(&machine);
        let pause = peers::pod_tools().join("pause");
        load(&machine, &Image::of_program(crate::node::IMAGE, "/pause", &pause));
        let registry = RealRegistry::start_on(machine.host(), Demands::default());
        for image in images {
            push(&machine, &registry, image);
        }
        let plane = ControlPlane::start_on(machine.host(), &[KUBELET, SCHEDULER, CONTROLLERS]);
        let server = |arguments: &[&str], user: User| {
            let kubeconfig = plane.kubectl(user).kubeconfig().display().to_string();
            let mut command = machine.host().command(peers::kubernetes());
            command.args(arguments).args(["--kubeconfig", &kubeconfig]);
            Process::spawn(&mut command, Stream::Error)
        };
        let file = |name: &str| plane.folder().join(name).display().to_string();
        let cluster = Self {
            controllers: server(
                &[
                    "kube-controller-manager",
                    "--leader-elect=false",
                    "--use-service-account-credentials",
                    &format!("--service-account-private-key-file={}", file("accounts.key")),
                    &format!("--root-ca-file={}", file("serving.crt")),
                ],
                CONTROLLERS,
            ),
            scheduler: server(&["kube-scheduler", "--leader-elect=false"], SCHEDULER),
            kubelet: server(&["kubelet", "--config=/etc/kubernetes/kubelet.yaml"], KUBELET),
            plane,
            containerd,
            registry,
            machine,
        };
        let ready = ["wait", "--for=condition=Ready", "node/node-1", "--timeout=5s"];
        cluster.kubectl().until(&ready, |answer| answer.contains("condition met"));
        cluster
    }

    /// Returns `kubectl` with all permissions.
    #[must_use]
    pub fn kubectl(&self) -> Kubectl {
        self.plane.kubectl(User::ADMIN)
    }

    /// Returns etcd and the API server.
    #[must_use]
    pub fn plane(&self) -> &ControlPlane {
        &self.plane
    }

    /// Returns the host on which commands of the cluster run, the only one from which it can be
    /// reached.
    #[must_use]
    pub fn host(&self) -> Host {
        self.machine.host()
    }

    /// Returns the host and the port of the registry, which speaks plain HTTP.
    #[must_use]
    pub fn registry(&self) -> &str {
        self.registry.host()
    }

    /// Creates the files of a pod's service account for commands on the machine, and returns its
    /// variables.
    ///
    /// # Panics
    ///
    /// Panics if its files cannot be written.
    #[must_use]
    pub fn mount_service_account(&self, token: &str) -> [(&'static str, String); 2] {
        let folder = self.machine.path("/run/secrets/kubernetes.io/serviceaccount");
        fs::create_dir_all(&folder).expect("temporary folder is writable");
        fs::write(folder.join("token"), token).expect("temporary folder is writable");
        fs::write(folder.join("namespace"), "default").expect("temporary folder is writable");
        let authority = self.plane.folder().join("serving.crt");
        fs::copy(authority, folder.join("ca.crt")).expect("temporary folder is writable");
        let (host, port) = self.plane.address().split_once(':').expect("it has a port");
        [("KUBERNETES_SERVICE_HOST", host.to_owned()), ("KUBERNETES_SERVICE_PORT", port.to_owned())]
    }

    /// Makes the kubelet run a pod from a file.
    ///
    /// # Panics
    ///
    /// Panics if the file cannot be written.
    pub fn run_static_pod(&self, name: &str, manifest: &serde_json::Value) {
        let path = format!("{STATIC_PODS}/{name}.json");
        fs::write(self.machine.path(&path), manifest.to_string())
            .expect("temporary folder is writable");
    }

    /// Returns the last lines that each part wrote, for the message of a failure.
    pub fn logs(&mut self) -> String {
        let parts = [
            ("containerd", &mut self.containerd),
            ("controllers", &mut self.controllers),
            ("scheduler", &mut self.scheduler),
            ("kubelet", &mut self.kubelet),
        ];
        let logs = parts.map(|(name, process)| {
            let lines = process.take_all(|_| true);
            let last = lines.iter().rev().take(100).rev().filter_map(|line| line.as_str());
            format!("== {name}\n{}", last.collect::<Vec<_>>().join("\n"))
        });
        logs.join("\n")
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}", self.logs());
        }
    }
}

fn write_files(machine: &Machine, files: &[(&str, &[u8])]) {
    let kubelet = include_str!("kubelet.yaml").replace("CGROUP", machine.cgroup());
    let network = include_str!("../../containerd/network.conflist").replace("FOLDER", "/run");
    fs::create_dir_all(machine.path(STATIC_PODS)).expect("temporary folder is writable");
    let own: [(&str, &[u8]); 3] = [
        ("/etc/containerd/config.toml", include_bytes!("containerd.toml")),
        ("/etc/kubernetes/kubelet.yaml", kubelet.as_bytes()),
        ("/etc/cni/net.d/10-pods.conflist", network.as_bytes()),
    ];
    for (path, content) in own.iter().chain(files) {
        let path = machine.path(path);
        fs::create_dir_all(path.parent().expect("a file is in a folder"))
            .expect("temporary folder is writable");
        fs::write(&path, content).expect("temporary folder is writable");
        if path.starts_with(machine.path("/opt")) {
            let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
            fs::set_permissions(&path, executable).expect("it was just written");
        }
    }
}

fn start_containerd(machine: &Machine) -> Process {
    let programs = peers::containerd(CONTAINERD);
    let mut command = machine.host().command(programs.join("containerd"));
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap_or_default());
    let mut process = Process::spawn(command.env("PATH", path), Stream::Error);
    process.wait_for("a start", |line| {
        line.as_str().is_some_and(|line| line.contains("containerd successfully booted"))
    });
    process
}

/// Packs an image and imports it.
fn load(machine: &Machine, image: &Image<'_>) {
    image.pack(&machine.path(ARCHIVE));
    let import =
        ["--namespace=k8s.io", "images", "import", "--local", "--snapshotter=native", ARCHIVE];
    run_on(machine.host(), peers::containerd(CONTAINERD).join("ctr"), &import);
    fs::remove_file(machine.path(ARCHIVE)).expect("it was just written");
}

/// Packs an image and pushes it.
fn push(machine: &Machine, registry: &RealRegistry, image: &Image<'_>) {
    image.pack(&machine.path(ARCHIVE));
    let _ = registry.push_archive(image.name(), ARCHIVE.as_ref());
    fs::remove_file(machine.path(ARCHIVE)).expect("it was just written");
}
