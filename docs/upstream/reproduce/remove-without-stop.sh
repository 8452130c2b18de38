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
cp -r "$(go list -m -f '{{.Dir}}' github.com/containerd/containerd/v2)" source
chmod -R u+w source

# Behind the deferred removal comes the update that makes the sandbox ready. A condition that the compiler does not see through,
# so that what follows still counts as reachable.
file=source/internal/cri/server/sandbox_run.go
awk '
  /c\.nri\.RemovePodSandbox\(deferCtx/ { armed = 1 }
  armed && /sandbox\.Status\.Update/ { print "\tif id != \"\" {\n\t\treturn nil, fmt.Errorf(\"broken on purpose after the hook\")\n\t}"; armed = 0; done = 1 }
  { print }
  END { exit !done }
' "$file" > broken.go
mv broken.go "$file"
go mod edit -replace github.com/containerd/containerd/v2=./source
CGO_ENABLED=0 go build -o "$program" github.com/containerd/containerd/v2/cmd/containerd
