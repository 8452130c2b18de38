#!/usr/bin/env bash
# Holds the reports in docs/upstream against the reference implementation: fails if one of them is no longer true.
set -euo pipefail
cd "$(dirname "$0")/../docs/upstream/reproduce"
go vet .
go run . "$@"
