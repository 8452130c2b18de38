#!/usr/bin/env bash
# Builds etcd and Kubernetes from their Go modules, once, into target/peers/kubernetes, and runs the tests against them.
# Needs root, like all that starts containers.
set -euo pipefail
cd "$(dirname "$0")/.."
source .ci/setup.sh
install_helm
debian runc runc
debian ip iproute2
debian /usr/lib/cni/ptp containernetworking-plugins

cargo run --locked -p nri-tests --features kubernetes --bin build-peers -- kubernetes
cargo test --locked -p nri-tests --features kubernetes --test kubernetes
