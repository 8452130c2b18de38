"""Runs the steps of the GitHub action as a runner does, with a release that a local server has.

Usage: action.py ROOT NRI_COMPAT: the repository, and the command to release. In place of cosign, which needs the identity of
a workflow, is a program that verifies with a key of this test.
"""

import contextlib
import functools
import hashlib
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading

import yaml

# A WebAssembly plugin without the exports that newer runtimes ask for.
PLUGIN = b"\0asm\x01\0\0\0\x07\x16\x01\x12plugin_api_version\0\0"
COSIGN = """#!/bin/sh
[ "$1 $2 $3" = "verify-blob SHA256SUMS --bundle" ] && [ "$5 $6" = "--certificate-identity {signer}@refs/tags/v{version}" ] || exit 2
[ "$7 $8" = "--certificate-oidc-issuer https://token.actions.githubusercontent.com" ] || exit 2
exec openssl dgst -sha256 -verify {key}.pub -signature "$4" "$2"
"""


class Release:
    """The files of a release in a folder, signed."""

    def __init__(self, folder, action, command):
        self.version = action["inputs"]["version"]["default"]
        self.folder = folder / f"www/releases/download/v{self.version}"
        self.folder.mkdir(parents=True)
        self.key = folder / "key"
        run(["openssl", "genpkey", "-quiet", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", f"{self.key}"])
        run(["openssl", "pkey", "-in", f"{self.key}", "-pubout", "-out", f"{self.key}.pub"])
        self.archive = self.folder / f"nri-compat-{self.version}-x86_64-linux.tar.gz"
        # Fast rather than small: the program has debug information.
        with tarfile.open(self.archive, "w:gz", compresslevel=1) as tar:
            tar.add(command, f"{self.archive.name.removesuffix('.tar.gz')}/nri-compat")
        self.sign(hashlib.sha256(self.archive.read_bytes()).hexdigest())

    def sign(self, digest):
        sums = self.folder / "SHA256SUMS"
        sums.write_text(f"{'0' * 64}  other.tar.gz\n{digest}  {self.archive.name}\n")
        run(["openssl", "dgst", "-sha256", "-sign", f"{self.key}", "-out", f"{sums}.sigstore.json", f"{sums}"])


def run(command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120, **options)


@contextlib.contextmanager
def server(folder):
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as one:
        threading.Thread(target=one.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{one.server_address[1]}"
        one.shutdown()


class Runner:
    """What a runner keeps for a job."""

    def __init__(self, action, folder, repository, address, platform=("Linux", "X64"), event=None):
        self.action, self.folder, self.repository, self.address = action, folder, repository, address
        self.temporary = pathlib.Path(tempfile.mkdtemp(dir=folder))
        self.files = {name: self.temporary / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_EVENT_PATH")}
        for path in self.files.values():
            path.write_text("")
        self.files["GITHUB_EVENT_PATH"].write_text(json.dumps(event or {}))
        self.environment = {
            "PATH": f"{folder}/bin:/usr/bin:/bin",
            "HOME": str(folder),
            "GITHUB_ACTION_PATH": str(pathlib.Path(sys.argv[1], "deploy/action").resolve()),
            "GITHUB_BASE_REF": "main" if event else "",
            "RUNNER_TEMP": str(self.temporary),
            "RUNNER_OS": platform[0],
            "RUNNER_ARCH": platform[1],
        } | {name: str(path) for name, path in self.files.items()}

    def run(self, **inputs):
        """Runs the steps that are scripts until one fails; its exit code, and what they said."""
        values = {name: one["default"] for name, one in self.action["inputs"].items()}
        values |= {"address": self.address} | {name.replace("_", "-"): value for name, value in inputs.items()}
        said = ""
        for step in self.action["runs"]["steps"]:
            if "run" not in step:
                continue
            assert step["shell"] == "bash" and "${{" not in step["run"], step
            environment = {name: substitute(text, values) for name, text in step.get("env", {}).items()}
            command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
            done = subprocess.run(
                command, cwd=self.repository, env=self.environment | environment, capture_output=True, text=True, timeout=120
            )
            said += done.stdout + done.stderr
            if done.returncode:
                return done.returncode, said
        return 0, said

    def outputs(self):
        return dict(line.split("=", 1) for line in self.files["GITHUB_OUTPUT"].read_text().splitlines())


def substitute(text, inputs):
    found = re.fullmatch(r"\$\{\{ inputs\.([\w-]+) \}\}", text)
    assert found or "${{" not in text, text
    return inputs[found[1]] if found else text


def check(runner):
    (runner.repository / "plugin.wasm").write_bytes(PLUGIN)
    (runner.repository / "b c.wasm").write_bytes(PLUGIN)
    code, said = runner.run(paths="plugin.wasm\nb c.wasm", target="containerd@2.3\ncontainerd@2.4")
    assert code == 100 and "::error file=plugin.wasm," in said, (code, said)
    outputs = runner.outputs()
    assert outputs["exit-code"] == "100", outputs
    report = json.loads(pathlib.Path(outputs["report"]).read_text())
    assert [len(one["verdicts"]) for one in report["subjects"]] == [2, 2], report
    assert json.loads(pathlib.Path(outputs["sarif"]).read_text())["runs"][0]["results"], outputs
    assert "plugin.wasm" in runner.files["GITHUB_STEP_SUMMARY"].read_text()
    code, said = runner.run(paths="plugin.wasm", target="containerd@2.3", fail_on="never", annotations="false", summary="false")
    assert code == 0 and "::error" not in said, (code, said)


def nothing_is_run(runner):
    """Names are arguments, whatever is in them."""
    code, said = runner.run(paths="$(touch ran); touch ran\n--proc", target="containerd@2.3")
    assert code == 1 and "touch ran" in said, (code, said)
    assert not (runner.repository / "ran").exists()
    code, said = runner.run(command="conformance")
    assert code == 1 and "::error::not a command of this action" in said, (code, said)


def protocol(root, repository):
    """A branch that takes back what NRI v0.12.0 brought."""
    git = functools.partial(run, cwd=repository)
    proto = repository / "api.proto"
    git(["git", "init", "--quiet", "--initial-branch", "main"])
    for release in ("v0.12.0", "v0.11.0"):
        shutil.copy(root / f"protos/api/{release}/api.proto", proto)
        git(["git", "add", "api.proto"])
        identity = ["-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"]
        git(["git", *identity, "commit", "--quiet", "--message", release])
    git(["git", "update-ref", "refs/remotes/origin/main", "HEAD^"])


def diff(make):
    event = {"pull_request": {"labels": [{"name": "bug"}]}}
    code, said = make(event=event).run(command="diff", to="api.proto")
    assert code == 100 and "::error file=api.proto," in said, (code, said)
    event["pull_request"]["labels"].append({"name": "breaking change accepted"})
    runner = make(event=event)
    code, said = runner.run(command="diff", to="api.proto")
    assert code == 0 and "::error file=api.proto," in said and "::notice::" in said, (code, said)
    assert runner.outputs()["exit-code"] == "100"
    # The label accepts what breaks, not a comparison that failed.
    code, said = make(event=event).run(command="diff", to="missing.proto")
    assert code == 1, (code, said)
    code, said = make().run(command="diff", to="api.proto")
    assert code == 1 and "needs the input `from`" in said, (code, said)


def refusals(make, release):
    code, said = make(platform=("Windows", "X64")).run()
    assert code == 1 and "there is no program for Windows on X64" in said, (code, said)
    runner = make()
    code, said = runner.run(version="0.1.0; true")
    assert code == 1 and "not a version" in said, (code, said)
    code, said = runner.run(version="99.0.0")
    assert code == 1 and "could not be downloaded" in said, (code, said)
    release.sign("0" * 64)
    code, said = runner.run()
    assert code == 1 and "the sum of nri-compat-" in said, (code, said)
    with (release.folder / "SHA256SUMS").open("a") as sums:
        sums.write("\n")
    code, said = runner.run()
    assert code == 1 and "signature" in said, (code, said)
    assert not list(runner.temporary.glob("*/nri-compat")), "unpacked in spite of it"


def main(root, command):
    action = yaml.safe_load((root / "deploy/action/action.yml").read_text())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        release = Release(folder, action, command)
        (signer,) = [step["env"]["SIGNER"] for step in action["runs"]["steps"] if "SIGNER" in step.get("env", {})]
        (folder / "bin").mkdir()
        cosign = folder / "bin/cosign"
        cosign.write_text(COSIGN.format(signer=signer, version=release.version, key=release.key))
        cosign.chmod(0o755)
        repository = folder / "repository"
        repository.mkdir()
        protocol(root, repository)
        with server(folder / "www") as address:
            make = functools.partial(Runner, action, folder, repository, address)
            check(make())
            nothing_is_run(make())
            diff(make)
            refusals(make, release)
    print("the GitHub action does what it promises")


main(pathlib.Path(sys.argv[1]), pathlib.Path(os.path.abspath(sys.argv[2])))
