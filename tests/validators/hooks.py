"""Runs the hooks for pre-commit on a repository, as pre-commit runs them.

Usage: hooks.py ROOT NRI_COMPAT PRE_COMMIT: the repository with the hooks, the command, and the program pre-commit.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

MANIFEST = """apiVersion: apps/v1
kind: DaemonSet
metadata: {{name: plugin}}
spec:
  selector: {{matchLabels: {{app: plugin}}}}
  template:
    metadata: {{labels: {{app: plugin}}}}
    spec:
      containers:
        - name: plugin
          image: registry.example.com/nri-plugin:v1
          volumeMounts: [{{name: nri, mountPath: /var/run/nri}}]
      volumes: [{{name: nri, hostPath: {{path: {path}}}}}]
"""


class Repository:
    def __init__(self, folder, root, command, pre_commit):
        self.folder, self.root, self.hooks, self.pre_commit = folder / "repository", root, folder / "hooks", pre_commit
        (folder / "bin").mkdir()
        (folder / "bin/nri-compat").symlink_to(command)
        identity = {f"GIT_{who}_{what}": "test@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        path = f"{folder}/bin:{pre_commit.parent}:/usr/bin:/bin"
        self.environment = {"PATH": path, "HOME": str(folder), "PRE_COMMIT_HOME": str(folder / "cache")} | identity
        # What pre-commit reads of the repository with the hooks, as cloning all of it takes long.
        shutil.copytree(root / "deploy/pre-commit", self.hooks / "deploy/pre-commit")
        shutil.copy(root / ".pre-commit-hooks.yaml", self.hooks)
        self.folder.mkdir()
        for folder in (self.hooks, self.folder):
            self.git("-C", str(folder), "init", "--quiet")
        self.git("-C", str(self.hooks), "add", "--all")
        self.git("-C", str(self.hooks), "commit", "--quiet", "--message", "hooks")

    def run(self, *command):
        return subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=120)

    def git(self, *arguments):
        done = self.run("git", *arguments)
        assert done.returncode == 0, (arguments, done.stderr)

    def hook(self, name, *options):
        """Runs one hook on what is staged; whether it passed, and what it said."""
        self.git("add", "--all")
        done = self.run(str(self.pre_commit), "try-repo", str(self.hooks), name, "--verbose", *options)
        assert "An error has occurred" not in done.stdout, done.stdout
        return done.returncode == 0, done.stdout

    def commit(self):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "change")


def check(repository):
    (repository.folder / "go.mod").write_text("module example.com/plugin\n\ngo 1.24\n\nrequire github.com/containerd/nri v0.12.5\n")
    (repository.folder / "plugin.yaml").write_text(MANIFEST.format(path="/var/run/nri"))
    (repository.folder / "main.py").write_text("print()\n")
    passed, said = repository.hook("nri-compat-check")
    assert passed and "plugin.yaml" in said and "go.mod" in said and "main.py" not in said, said
    (repository.folder / "nri-compat.toml").write_text('fail-on = ["unknown"]\n')
    passed, said = repository.hook("nri-compat-check")
    assert not passed and "exit code: 100" in said, said
    repository.commit()


def diff(repository):
    proto = repository.folder / "pkg/api.proto"
    proto.parent.mkdir()
    shutil.copy(repository.root / "protos/api/v0.12.0/api.proto", proto)
    passed, said = repository.hook("nri-compat-diff")
    assert passed, said
    repository.commit()
    shutil.copy(repository.root / "protos/api/v0.12.2/api.proto", proto)
    passed, said = repository.hook("nri-compat-diff")
    assert passed and "pkg/api.proto" in said, said
    shutil.copy(repository.root / "protos/api/v0.11.0/api.proto", proto)
    passed, said = repository.hook("nri-compat-diff")
    assert not passed and "NRI_EVENT_RPC_CHANGED" in said, said
    repository.commit()
    passed, said = repository.hook("nri-compat-diff", "--from-ref", "HEAD^", "--to-ref", "HEAD")
    assert not passed and "NRI_EVENT_RPC_CHANGED" in said, said


def main(root, command, pre_commit):
    with tempfile.TemporaryDirectory() as name:
        repository = Repository(pathlib.Path(name), root, command, pre_commit)
        check(repository)
        diff(repository)
    print("the hooks for pre-commit do what they promise")


root, command, pre_commit = (pathlib.Path(os.path.abspath(argument)) for argument in sys.argv[1:])
main(root, command, pre_commit)
