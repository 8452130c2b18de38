#!/usr/bin/env bash
# Holds deploy/ against the schemas of those who read it, and runs what it runs.
set -euo pipefail
cd "$(dirname "$0")/.."
source .ci/setup.sh
install_validators
install_kustomize
install_helm
install_actionlint
bin="$PEERS/python/bin"
# Cargo built the command with the tests, if they ran.
nri_compat="${CARGO_TARGET_DIR:-target}/debug/nri-compat-all"
[ -x "$nri_compat" ] || cargo build --locked -p nri-tests --all-features --bin nri-compat-all
broken="$(mktemp -d)"
manifests="$(mktemp -d)"
trap 'rm -rf "$broken" "$manifests"' EXIT

# valid FILE COMMAND...: the validator takes the file, and refuses it with a misspelt key.
valid() {
  local file="$1" copy
  shift
  copy="$broken/$(basename "$file")"
  "$@" "$file"
  sed -E '0,/^( *)(- )?(steps|script|containers|data|rules):/s//\1\2x\3:/' "$file" > "$copy"
  if cmp -s "$file" "$copy" || "$@" "$copy" > /dev/null 2>&1; then
    echo "error: $* does not tell a broken $file from a good one" >&2
    return 1
  fi
}

for file in deploy/github/*.yml; do
  valid "$file" "$bin/check-jsonschema" --builtin-schema vendor.github-workflows
  "$bin/check-jsonschema" --builtin-schema custom.github-workflows-require-timeout "$file"
done
"$PEERS/actionlint/actionlint" deploy/github/*.yml
.ci/github.sh
"$bin/python" tests/validators/action.py . "$nri_compat"
"$bin/python" tests/validators/hooks.py . "$nri_compat" "$bin/pre-commit"
valid deploy/gitlab/nri-compat.yml "$bin/check-jsonschema" --builtin-schema vendor.gitlab-ci --data-transform gitlab-ci
# valid_kubernetes FILE: the oldest and the newest Kubernetes take the manifests.
valid_kubernetes() {
  # appArmorProfile came with Kubernetes 1.30.
  for kubernetes in 1.30.0 1.37.0; do
    valid "$1" "$bin/kubernetes-validate" --strict --quiet -k "$kubernetes"
  done
}

for file in deploy/kubernetes/*.yaml; do
  valid_kubernetes "$file"
done
for file in common daemonset; do
  diff "deploy/kubernetes/$file.yaml" "deploy/kustomize/base/$file.yaml"
done
"$bin/python" tests/validators/charts.py deploy "$PEERS/helm/helm" "$PEERS/kustomize/kustomize" "$bin/kubernetes-validate"
"$bin/python" tests/validators/hub.py . "$PEERS/helm/helm"

# Each plugin has an overlay, and each overlay is that of an example.
for overlay in deploy/plugins/kustomize/*/; do
  name="$(basename "$overlay")"
  [ "$name" != base ] || continue
  [ -e "nri/examples/$name.rs" ] || [ -e "nri/examples/$name/main.rs" ] || { echo "error: no example $name" >&2; exit 1; }
  "$PEERS/kustomize/kustomize" build "$overlay" > "$manifests/$name.yaml"
  grep -q "image: registry.example.com/nri-$name:" "$manifests/$name.yaml"
  # The command takes the rendered overlay for a plugin.
  "$nri_compat" check - --no-pull --format json < "$manifests/$name.yaml" \
    | grep "its image registry.example.com/nri-$name:.* was not fetched" > /dev/null
  valid_kubernetes "$manifests/$name.yaml"
done

# The template of a plugin: its workflow, and its values for the chart.
cp -r deploy/template "$manifests/template"
grep -rl '{{project-name}}' "$manifests/template" | xargs sed -i 's/{{project-name}}/pod-greeter/g'
valid "$manifests/template/.github/workflows/ci.yml" "$bin/check-jsonschema" --builtin-schema vendor.github-workflows
"$PEERS/actionlint/actionlint" "$manifests/template/.github/workflows/ci.yml"
"$PEERS/helm/helm" template x deploy/helm/nri-plugin --namespace kube-system --values "$manifests/template/values.yaml" \
  > "$manifests/pod-greeter.yaml"
grep -q 'image: "*registry.example.com/pod-greeter:0.1.0' "$manifests/pod-greeter.yaml"
valid_kubernetes "$manifests/pod-greeter.yaml"

# The units, with a program that exists in place of the plugin and the command.
debian systemd-analyze systemd
sed 's|^ExecStart=.*|ExecStart=/bin/true|' deploy/plugins/nri-plugin@.service > "$manifests/nri-plugin@.service"
cp -r deploy/plugins/nri-plugin@*.service.d "$manifests/"
for instance in logger network-device-injector v010-adapter; do
  systemd-analyze verify --man=no "$manifests/nri-plugin@$instance.service"
done
sed 's|/usr/local/bin/nri-compat|/bin/true|' deploy/systemd/nri-compat.service > "$manifests/nri-compat.service"
cp deploy/systemd/nri-compat.timer "$manifests/"
systemd-analyze verify --man=no "$manifests/nri-compat.service" "$manifests/nri-compat.timer"

"$PEERS/helm/helm" template nri-compat deploy/helm/nri-compat --set kind=Job,textfile.enabled=true > "$manifests/textfile.yaml"
"$bin/python" tests/validators/deploy.py deploy "$nri_compat" nri-compat/schema/check.schema.json "$manifests/textfile.yaml"
install_promtool
"$bin/python" tests/validators/alerts.py deploy/helm/nri-compat/monitoring "$nri_compat" "$PEERS/promtool/promtool"
