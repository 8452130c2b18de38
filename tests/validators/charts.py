"""Holds the charts in deploy/helm against the plain manifests and the kustomize overlays, which say the same.

Usage: charts.py DEPLOY HELM KUSTOMIZE VALIDATE: the folder, the two commands, and kubernetes-validate.
"""

import pathlib
import subprocess
import sys
import tempfile

import yaml

# Labels by which Helm finds its objects, and the annotation that restarts pods with a new configuration: the plain
# manifests do without them.
HELM_ONLY = [
    "app.kubernetes.io/instance",
    "app.kubernetes.io/version",
    "app.kubernetes.io/managed-by",
    "helm.sh/chart",
    "checksum/config",
]
# The files that configure the runtime of each distribution.
DISTRIBUTIONS = {
    "containerd": ["/etc/containerd/config.toml", "/usr/share/containerd/config.toml"],
    "cri-o": ["/etc/crio/crio.conf"],
    "k3s": ["/var/lib/rancher/k3s/agent/etc/containerd/config.toml"],
    "rke2": ["/var/lib/rancher/rke2/agent/etc/containerd/config.toml"],
    "microk8s": ["/var/snap/microk8s/current/args/containerd.toml"],
    "k0s": ["/etc/k0s/containerd.toml", "/run/k0s/containerd-cri.toml"],
    "talos": ["/etc/cri/containerd.toml"],
}
# Where the command has them.
DETECTION = "nri-compat/src/check/find/runtime/machine.rs"
# appArmorProfile came with Kubernetes 1.30.
KUBERNETES = ["1.30.0", "1.37.0"]
# Values of nri-compat, and the plain manifests that they stand for.
PLAIN = {
    "": ["common.yaml", "daemonset.yaml"],
    "kind=Job,scan=processes": ["common.yaml", "job.yaml"],
    "kind=CronJob,scan=processes": ["common.yaml", "cronjob.yaml"],
    "kind=None,cluster.enabled=true": ["common.yaml", "cluster-reader.yaml", "cluster.yaml"],
}
# Values that the schema refuses, each with a word of the message.
REFUSED = {
    "typo=1": "typo",
    "image.typo=1": "typo",
    "image.repository=Upper": "repository",
    "image.digest=sha256:1": "digest",
    "kind=Deployment": "kind",
    "scan=all": "scan",
    "distribution=k8s": "distribution",
    "interval=5": "interval",
    "nodes=0": "nodes",
    "nodes=many": "nodes",
    "schedule=never": "schedule",
    "targets={containerd}": "targets",
    "targets=null": "targets",
    "policy=null": "policy",
    "textfile.folder=relative": "folder",
    "textfile.folder=/a/../etc": "folder",
    "hostPaths[0].name=data,hostPaths[0].path=/": "path",
    "hostPaths[0].name=proc,hostPaths[0].path=/data": "name",
    "hostPaths[0].name=data": "path",
    "cluster.enabled=yes": "enabled",
    "cluster.typo=1": "typo",
    "resources.limits.cpu=much": "cpu",
    "tolerations[0].operator=Maybe": "operator",
    "affinity.typo.a=b": "typo",
    "podLabels.a=1": "podLabels",
}
# The same for nri-plugin, each besides plugin=x.
PLUGIN_REFUSED = {
    "plugin=": "plugin",
    "plugin=Upper": "plugin",
    "index=1": "index",
    "index=100": "index",
    "restartOnConfig=maybe": "restartOnConfig",
    "typo=1": "typo",
    "httpPort=70000": "httpPort",
    "bridge.command=/old": "command",
    "bridge.typo=1": "typo",
    "bridge.image.repository=Upper": "repository",
    "capabilities={ALL}": "capabilities",
    "capabilities={CAP_NET_ADMIN}": "capabilities",
    "hostPaths[0].name=a,hostPaths[0].path=/a": "type",
    "hostPaths[0].name=nri,hostPaths[0].path=/a,hostPaths[0].type=File": "name",
    "hostPaths[0].name=a,hostPaths[0].path=/a,hostPaths[0].type=File,hostPaths[0].mountPropagation=Bidirectional": "mountPropagation",
    "privileged=true": "privileged",
}


def run(*command):
    """Runs a command that must succeed; its output."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, (command, done.stderr)
    return done.stdout


def documents(text):
    return [one for one in yaml.safe_load_all(text) if one]


def template(helm, chart, values="", name="nri-compat", namespace="nri-compat", files=()):
    arguments = ["template", name, chart, "--namespace", namespace]
    arguments += ["--set", values] if values else []
    for file in files:
        arguments += ["--values", file]
    return run(helm, *arguments)


def normal(value):
    """The value without labels of Helm, with named lists in the order of their names and without empty objects."""
    if isinstance(value, dict):
        kept = {key: normal(one) for key, one in value.items() if key not in HELM_ONLY}
        return {key: one for key, one in kept.items() if one not in ({}, None)}
    if isinstance(value, list):
        items = [normal(one) for one in value]
        # The order of environment variables and containers matters; that of volumes and their mounts does not.
        kinds = {"mountPath", "hostPath", "configMap", "emptyDir"}
        places = all(isinstance(one, dict) and kinds & one.keys() for one in items)
        return sorted(items, key=lambda one: one.get("mountPath") or one["name"]) if places else items
    return value


def objects(text):
    """The objects by kind and name. The chart leaves the namespace to `helm install --create-namespace`."""
    found = {}
    for one in documents(text):
        name = one["metadata"]["name"]
        # The plain role has no labels.
        if one["kind"] == "ClusterRole":
            one["metadata"].pop("labels", None)
        # The chart gives each revision of a release a Job of its own.
        if one["kind"] == "Job":
            name = one["metadata"]["name"] = name.removesuffix("-1")
        if one["kind"] != "Namespace":
            found[one["kind"], name] = normal(one)
    return found


def same(what, chart, other):
    chart, other = objects(chart), objects(other)
    assert chart.keys() == other.keys(), (what, sorted(chart), sorted(other))
    for key, one in chart.items():
        assert one == other[key], f"{what}: {key} differs:\n{yaml.safe_dump(one)}\n---\n{yaml.safe_dump(other[key])}"


def valid(what, text, validate):
    with tempfile.TemporaryDirectory() as folder:
        # The schemas of Kubernetes do not have the resources of the Prometheus operator.
        kept = [one for one in documents(text) if one["kind"] != "PrometheusRule"]
        file = pathlib.Path(folder) / "manifests.yaml"
        file.write_text(yaml.safe_dump_all(kept))
        for version in KUBERNETES:
            run(sys.executable, validate, "--strict", "--quiet", "-k", version, file)
    assert kept, what


def refused(helm, chart, values, word):
    done = subprocess.run([helm, "template", "x", chart, "--set", values], capture_output=True, text=True, check=False)
    assert done.returncode != 0 and "schema" in done.stderr and word in done.stderr, (values, done.stderr)


def pod_of(one):
    """The pod template of a workload; None for other objects."""
    spec = one.get("spec", {})
    spec = spec.get("jobTemplate", {}).get("spec", spec)
    return spec.get("template", {}).get("spec")


def unprivileged(what, text):
    """Every pod drops all capabilities, writes only its metrics and that it is ready, and has a token only in the cluster mode."""
    for one in documents(text):
        pod = pod_of(one)
        if pod is None:
            continue
        is_cluster = one["metadata"]["name"].endswith(("-cluster", "-cluster-1"))
        assert pod["automountServiceAccountToken"] is is_cluster, what
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}, what
        (container,) = pod["containers"]
        security = container["securityContext"]
        assert security["capabilities"]["drop"] == ["ALL"], what
        assert security["allowPrivilegeEscalation"] is False and "privileged" not in security, what
        writable = [mount["mountPath"] for mount in container["volumeMounts"] if not mount.get("readOnly")]
        assert set(writable) <= {"/state", "/textfile", "/tmp"}, (what, writable)
        sockets = [volume["hostPath"]["path"] for volume in pod["volumes"] if "hostPath" in volume]
        is_root = pod["securityContext"]["runAsUser"] == 0
        assert not (is_root and {"/run", "/etc", "/var", "/run/k0s"} & set(sockets)) or "textfile" in what, (what, sockets)


def configurations(deploy):
    """The command looks for each configuration, and the folders of the distribution contain it."""
    detected = (deploy.parent / DETECTION).read_text()
    distributions = yaml.safe_load((deploy / "helm/nri-compat/distributions.yaml").read_text())
    assert distributions.keys() == {"any", *DISTRIBUTIONS}, distributions.keys()
    for distribution, files in DISTRIBUTIONS.items():
        for file in [*files, "/opt/nri/plugins"]:
            assert file == "/opt/nri/plugins" or f'"{file}"' in detected, file
            for name in ["any", distribution]:
                folders = [folder["path"] for folder in distributions[name]["folders"]]
                assert any(pathlib.PurePath(file).is_relative_to(folder) for folder in folders), (name, file)


def monitoring(deploy, helm):
    """The rules and the dashboard arrive as they are in their files."""
    chart = deploy / "helm/nri-compat"
    found = documents(template(helm, chart, "monitoring.rules=true,monitoring.dashboard=true"))
    (rules,) = [one for one in found if one["kind"] == "PrometheusRule"]
    assert rules["spec"] == yaml.safe_load((chart / "monitoring/alerts.yaml").read_text())
    (dashboard,) = [one for one in found if one["metadata"]["name"] == "nri-compat-dashboard"]
    assert dashboard["data"]["nri-compat.json"].strip() == (chart / "monitoring/dashboard.json").read_text().strip()


def nri_compat(deploy, helm, kustomize, validate):
    configurations(deploy)
    monitoring(deploy, helm)
    chart, plain = deploy / "helm/nri-compat", deploy / "kubernetes"
    for values, files in PLAIN.items():
        text = template(helm, chart, values)
        same(values, text, "\n---\n".join((plain / file).read_text() for file in files))
        valid(values, text, validate)
        unprivileged(values, text)
    for distribution in DISTRIBUTIONS:
        values = f"distribution={distribution}"
        text = template(helm, chart, values)
        same(values, text, run(kustomize, "build", deploy / "kustomize" / distribution))
        valid(values, text, validate)
    for kind in ["DaemonSet", "CronJob", "Job", "None"]:
        for scan in ["folders", "processes"]:
            everything = "cluster.enabled=true,textfile.enabled=true,cluster.registrySecret=registry,"
            everything += "monitoring.rules=true,monitoring.dashboard=true,"
            values = f"{everything}kind={kind},scan={scan}"
            valid(values, template(helm, chart, values), validate)
    for distribution in DISTRIBUTIONS:
        for kind in ["DaemonSet", "CronJob", "Job"]:
            values = f"distribution={distribution},kind={kind}"
            unprivileged(values, template(helm, chart, values))
    for values, word in REFUSED.items():
        refused(helm, chart, values, word)


def overriding(helm, chart):
    """The code of the plugin has the index unless a value is set, and a configuration that is followed replaces no pods."""
    for values, has_index, restarts in [
        ("config.a=b", False, True),
        ("config.a=b,index=05", True, True),
        ("config.a=b,restartOnConfig=false", False, False),
        ("config.a=b,restartOnConfig=false,podAnnotations.c=d", False, False),
        ("index=00", True, False),
    ]:
        text = template(helm, chart, f"plugin=x,{values}")
        (daemonset,) = [one for one in documents(text) if one["kind"] == "DaemonSet"]
        assert ("NRI_PLUGIN_IDX" in text) is has_index, values
        annotations = daemonset["spec"]["template"]["metadata"].get("annotations", {})
        assert ("checksum/config" in annotations) is restarts, values


def bridged(helm, chart, validate):
    """The bridge has its own options and those of a runtime, starts the program of the image, and is copied before."""
    values = "plugin=old,index=05,httpPort=8080,args={--a,b},bridge.command={/old,run},bridge.args={--speak,v0.8.0}"
    text = template(helm, chart, values)
    valid(values, text, validate)
    (daemonset,) = documents(text)
    pod = pod_of(daemonset)
    (before,), (plugin,) = pod["initContainers"], pod["containers"]
    assert before["image"].startswith("registry.example.com/nri-compat:"), before
    (copy,) = plugin["command"]
    assert before["command"] + before["args"] == ["nri-bridge", "--install", copy], before
    own = ["--http", "0.0.0.0:8080", "--name", "old", "--index", "05", "--speak", "v0.8.0"]
    assert plugin["args"] == [*own, "--", "/old", "run", "--a", "b"], plugin["args"]
    assert "NRI_PLUGIN_IDX" not in text


def nri_plugin(deploy, helm, kustomize, validate):
    chart, overlays = deploy / "helm/nri-plugin", deploy / "plugins/kustomize"
    plugins = sorted(file.stem for file in (chart / "plugins").iterdir())
    assert plugins == sorted(folder.name for folder in overlays.iterdir() if folder.name != "base"), plugins
    for plugin in plugins:
        file = chart / "plugins" / f"{plugin}.yaml"
        # A release may have any name.
        text = template(helm, chart, name="release", namespace="kube-system", files=[file])
        same(plugin, text, run(kustomize, "build", overlays / plugin))
        valid(plugin, text, validate)
    overriding(helm, chart)
    bridged(helm, chart, validate)
    everything = "plugin=x,image.pullSecrets={a},image.pullPolicy=Always,priorityClassName=,nodeSelector.a=b,podLabels.a=b,"
    everything += "podAnnotations.a=b,tolerations[0].operator=Exists,config.a=b,httpPort=8080,args={--verbose}"
    valid(everything, template(helm, chart, everything), validate)
    for values, word in PLUGIN_REFUSED.items():
        refused(helm, chart, f"plugin=x,{values}", word)


def main(deploy, helm, kustomize, validate):
    run(helm, "lint", "--strict", deploy / "helm/nri-compat")
    run(helm, "lint", "--strict", "--set", "plugin=x", deploy / "helm/nri-plugin")
    nri_compat(deploy, helm, kustomize, validate)
    nri_plugin(deploy, helm, kustomize, validate)
    print("charts, plain manifests and overlays say the same")


folder, *commands = sys.argv[1:]
main(pathlib.Path(folder), *commands)
