#!/usr/bin/env bash
# Builds a containerd whose RunPodSandbox fails right after the hook of NRI: remove-without-stop.sh VERSION PROGRAM.
set -euo pipefail
version="$1"
program="$(realpath -m "$2")"

folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
go mod init example.com/containerd > /dev/null 2>&1
go get "github.com/containerd/containerd/v2/cmd/containerd@$version"
source="$(go list -m -f '{{.Dir}}' github.com/containerd/containerd/v2)/internal/cri/server/sandbox_run.go"

# Behind the deferred removal comes the update that makes the sandbox ready.
awk '
  /c\.nri\.RemovePodSandbox\(deferCtx/ { armed = 1 }
  armed && /sandbox\.Status\.Update/ { print "\treturn nil, fmt.Errorf(\"broken on purpose after the hook\")"; armed = 0; done = 1 }
  { print }
  END { exit !done }
' "$source" > sandbox_run.go
printf '{"Replace": {"%s": "%s/sandbox_run.go"}}\n' "$source" "$folder" > overlay.json
# What follows the return is never reached, which is what go vet would say and the compiler does not mind.
go build -overlay overlay.json -o "$program" github.com/containerd/containerd/v2/cmd/containerd
