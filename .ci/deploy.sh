#!/usr/bin/env bash
# Holds deploy/ against the schemas of those who read it, and runs what it runs.
set -euo pipefail
cd "$(dirname "$0")/.."
source .ci/setup.sh
install_validators
bin="$PEERS/python/bin"
broken="$(mktemp -d)"
trap 'rm -rf "$broken"' EXIT

# valid FILE COMMAND...: the validator takes the file, and refuses it with a misspelt key.
valid() {
  local file="$1" copy
  shift
  copy="$broken/$(basename "$file")"
  "$@" "$file"
  sed -E '0,/^( *)(- )?(steps|script|containers|data):/s//\1\2x\3:/' "$file" > "$copy"
  if cmp -s "$file" "$copy" || "$@" "$copy" > /dev/null 2>&1; then
    echo "error: $* does not tell a broken $file from a good one" >&2
    return 1
  fi
}

for file in deploy/github/*.yml; do
  valid "$file" "$bin/check-jsonschema" --builtin-schema vendor.github-workflows
  "$bin/check-jsonschema" --builtin-schema custom.github-workflows-require-timeout "$file"
done
valid deploy/gitlab/nri-compat.yml "$bin/check-jsonschema" --builtin-schema vendor.gitlab-ci --data-transform gitlab-ci
for file in deploy/kubernetes/*.yaml; do
  # appArmorProfile came with Kubernetes 1.30.
  for kubernetes in 1.30.0 1.37.0; do
    valid "$file" "$bin/kubernetes-validate" --strict --quiet -k "$kubernetes"
  done
done

cargo build --locked -p nri-compat
"$bin/python" tests/validators/deploy.py deploy "${CARGO_TARGET_DIR:-target}/debug/nri-compat" nri-compat/schema/check.schema.json
