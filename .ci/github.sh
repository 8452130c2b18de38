#!/usr/bin/env bash
# Holds what GitHub reads against its schemas and against the tree: workflows, forms, dependabot, owners. Takes seconds.
set -euo pipefail
cd "$(dirname "$0")/.."
source .ci/setup.sh
install_validators
install_actionlint
debian shellcheck shellcheck
bin="$PEERS/python/bin"

schema() { "$bin/check-jsonschema" --quiet --builtin-schema "$@"; }
schema vendor.github-workflows .github/workflows/*.yml
schema custom.github-workflows-require-timeout .github/workflows/*.yml
schema vendor.github-actions deploy/action/action.yml
schema vendor.dependabot .github/dependabot.yml
schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
forms=()
for file in .github/ISSUE_TEMPLATE/*.yml; do
  [ "$(basename "$file")" = config.yml ] || forms+=("$file")
done
schema vendor.github-issue-forms "${forms[@]}"
shellcheck deploy/action/*.sh deploy/pre-commit/*.sh
# It has shellcheck look at the scripts in workflows.
"$PEERS/actionlint/actionlint" .github/workflows/*.yml
# Whatever it finds fails; without a network it asks nobody about the actions.
"$bin/zizmor" --offline --quiet .github deploy/github/*.yml deploy/action deploy/template/.github/workflows
"$bin/python" tests/validators/community.py .
