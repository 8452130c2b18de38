"""Holds what GitHub shows and asks of contributors against the tree: owners, bots, addresses.

Usage: community.py ROOT.
"""

import pathlib
import re
import subprocess
import sys
import tomllib

import yaml


def tracked(root):
    """The paths of all files, also of those that are not committed yet."""
    command = ["git", "-C", str(root), "ls-files", "--cached", "--others", "--exclude-standard"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def owners(root):
    lines = [line.split() for line in (root / ".github/CODEOWNERS").read_text().splitlines()]
    return [(line[0], line[1:]) for line in lines if line and not line[0].startswith("#")]


def every_folder_has_owners(root, files, domain):
    roles = set(re.findall(rf"\S+@{re.escape(domain)}", (root / "MAINTAINERS.md").read_text()))
    patterns = owners(root)
    for pattern, names in patterns:
        path = pattern.strip("/")
        assert path == "*" or any(f"{file}/".startswith(f"{path}/") for file in files), f"CODEOWNERS: {pattern} is not there"
        assert names and set(names) <= roles, f"CODEOWNERS: {pattern}: not the address of a role in MAINTAINERS.md: {names}"
    folders = {file.split("/")[0] for file in files if "/" in file}
    missing = folders - {pattern.strip("/") for pattern, _ in patterns}
    assert not missing, f"CODEOWNERS: no owner of {sorted(missing)}"


def bots_watch_everything(root, files):
    updates = yaml.safe_load((root / ".github/dependabot.yml").read_text())["updates"]
    watched = {update["package-ecosystem"]: set(update["directories"]) for update in updates}

    def folders(name):
        paths = [pathlib.PurePosixPath(file) for file in files]
        return {f"/{path.parent}".replace("/.", "/") for path in paths if path.name == name}

    # Manifests in fixtures and templates are input of tests, not what is built.
    go = {folder for folder in folders("go.mod") if not re.match(r"/(tests/fixtures|deploy|docs)", folder)}
    assert watched["gomod"] == go, f"dependabot.yml: folders of Go modules differ: {watched['gomod'] ^ go}"
    lock = folders("Cargo.lock")
    assert watched["cargo"] == lock, f"dependabot.yml: folders of Cargo.lock differ: {watched['cargo'] ^ lock}"
    actions = {folder for folder in folders("action.yml") if not folder.startswith("/tests")}
    assert watched["github-actions"] == {"/"} | actions, f"dependabot.yml: folders of actions differ: {actions}"


def one_pin_per_action(root, files):
    pins = {}
    for file in files:
        if not re.search(r"\.github/workflows/.*\.yml$|^deploy/(github|action)/.*\.yml$", file):
            continue
        for action, at in re.findall(r"uses: ([^@\s]+)@(.*)", (root / file).read_text()):
            assert re.fullmatch(r"[0-9a-f]{40} # v[0-9.]+", at), f"{file}: {action} is not pinned by its commit, with its version: {at}"
            assert pins.setdefault(action, at) == at, f"{file}: {action} is pinned differently elsewhere"
    assert "actions/checkout" in pins


def one_address(root, files, address, domain):
    """Placeholders of the address are those of Cargo.toml, so that the real one can replace them all."""
    own = [file for file in files if re.match(r"\.github/|[A-Z_]+\.md$|deploy/helm/[^/]+/Chart\.yaml$|deploy/action/", file)]
    for file in own:
        text = (root / file).read_text()
        for name in re.findall(r"[\w.-]*nri-toolkit[\w.-]*\.\w+", text):
            assert name == domain, f"{file}: {name} is not {domain}"
        for link in re.findall(r"https?://[^\s/)>\"]*example[^\s)>\"]*", text):
            assert link.startswith(address), f"{file}: {link} does not begin with {address}"


def action_is_of_this_release(root, address, version):
    action = yaml.safe_load((root / "deploy/action/action.yml").read_text())
    defaults = {name: one["default"] for name, one in action["inputs"].items()}
    assert defaults["version"] == version, f"deploy/action/action.yml: version {defaults['version']}, not {version}"
    assert defaults["address"] == address, f"deploy/action/action.yml: address {defaults['address']}, not {address}"
    (signer,) = [step["env"]["SIGNER"] for step in action["runs"]["steps"] if "SIGNER" in step.get("env", {})]
    assert signer == f"{address}/.github/workflows/release.yml", signer
    table = (root / "deploy/action/README.md").read_text()
    assert all(f"`{name}`" in table for name in defaults), "deploy/action/README.md: an input is missing"


def badges_are_true(root, address, package):
    """Workflows show their own state; the others say what Cargo.toml says."""
    text = (root / "README.md").read_text()
    workflows = re.findall(rf"{re.escape(address)}/actions/workflows/([\w-]+\.yml)/badge\.svg", text)
    assert workflows and all((root / ".github/workflows" / name).exists() for name in workflows), workflows
    for name, value in (("Rust", package["rust-version"] + "+"), ("licence", package["license"])):
        badge = f"https://img.shields.io/badge/{name}-{value.replace('-', '--').replace('+', '%2B')}-blue"
        assert badge in text, f"README.md: no badge {badge}"


def main(root):
    workspace = tomllib.loads((root / "Cargo.toml").read_text())["workspace"]
    address = workspace["package"]["homepage"]
    domain = workspace["metadata"]["release"]["maintainer"].rpartition("@")[2].rstrip(">")
    files = tracked(root)
    every_folder_has_owners(root, files, domain)
    bots_watch_everything(root, files)
    one_pin_per_action(root, files)
    one_address(root, files, address, domain)
    badges_are_true(root, address, workspace["package"])
    assert workspace["package"]["repository"] == address, "Cargo.toml: the repository is not at the address"
    action_is_of_this_release(root, address, workspace["package"]["version"])


main(pathlib.Path(sys.argv[1]))
