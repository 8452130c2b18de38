#!/usr/bin/env bash
# Checks an image of ten layers and 200 MB compressed in a registry on loopback, next to curl and decompression of the
# same blobs, alternating. Prints the times of each round in seconds, and the memory of the check.
#   tests/bench/registry.sh [ROUNDS] [gzip|zstd]
# Needs Go for the registry, curl, skopeo, python3, gzip and zstd.
set -euo pipefail
cd "$(dirname "$0")/../.."
rounds="${1:-5}" packing="${2:-gzip}"
target="${CARGO_TARGET_DIR:-$PWD/target}"
cargo build --profile bench --quiet -p nri-compat
work="$(mktemp -d)"
(cd tests/registry && CGO_ENABLED=0 go build -o "$work/registry" github.com/distribution/distribution/v3/cmd/registry)
printf '{"version": "0.1", "storage": {"filesystem": {"rootdirectory": "%s/storage"}}, "http": {"addr": "127.0.0.1:0"}}' "$work" > "$work/config.json"
OTEL_TRACES_EXPORTER=none "$work/registry" serve "$work/config.json" > "$work/log" 2>&1 &
registry=$!
trap 'kill "$registry"; rm -rf "$work"' EXIT
for _ in $(seq 100); do
  host="$(grep -o 'listening on [0-9.:]*' "$work/log" | head -1 | cut -d' ' -f3)" && [ -n "$host" ] && break
  sleep 0.1
done

# Ten layers of files of which half is random and half repeats, so that they compress to half: 20 MB each.
python3 - "$work" "$packing" <<'PYTHON'
import hashlib, io, json, os, random, subprocess, sys, tarfile
work, packing = sys.argv[1:]
blobs = f"{work}/layout/blobs/sha256"
os.makedirs(blobs)
def put(data):
    name = hashlib.sha256(data).hexdigest()
    open(f"{blobs}/{name}", "wb").write(data)
    return {"digest": f"sha256:{name}", "size": len(data)}
layers, ids = [], []
for number in range(10):
    source, out = random.Random(number), io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for file in range(200):
            data = source.randbytes(100_000) + bytes([file]) * 100_000
            info = tarfile.TarInfo(f"usr/share/{number}/{file}")
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    ids.append("sha256:" + hashlib.sha256(out.getvalue()).hexdigest())
    command = ["gzip", "-6"] if packing == "gzip" else ["zstd", "-3", "-q"]
    packed = subprocess.run(command, input=out.getvalue(), stdout=subprocess.PIPE, check=True).stdout
    layers.append(put(packed) | {"mediaType": f"application/vnd.oci.image.layer.v1.tar+{packing}"})
config = put(json.dumps({"architecture": "amd64", "os": "linux", "rootfs": {"type": "layers", "diff_ids": ids}}).encode())
config["mediaType"] = "application/vnd.oci.image.config.v1+json"
kind = "application/vnd.oci.image.manifest.v1+json"
manifest = put(json.dumps({"schemaVersion": 2, "mediaType": kind, "config": config, "layers": layers}).encode())
manifest |= {"mediaType": kind, "annotations": {"org.opencontainers.image.ref.name": "bench"}}
json.dump({"schemaVersion": 2, "manifests": [manifest]}, open(f"{work}/layout/index.json", "w"))
json.dump({"imageLayoutVersion": "1.0.0"}, open(f"{work}/layout/oci-layout", "w"))
open(f"{work}/digests", "w").write("\n".join(layer["digest"] for layer in layers) + "\n")
PYTHON
skopeo --insecure-policy copy --quiet --dest-tls-verify=false "oci:$work/layout:bench" "docker://$host/bench:v1"
rm -r "$work/layout"

fetch() {
  while read -r digest; do
    curl -sf "http://$host/v2/bench/blobs/$digest" -o "$work/blob"
    "$packing" -dc < "$work/blob" > /dev/null
  done < "$work/digests"
}
check() { "$target/release/nri-compat" check --insecure "$host" "docker://$host/bench:v1" "$@"; }

check > /dev/null
fetch
for round in $(seq "$rounds"); do
  start=$EPOCHREALTIME; fetch; middle=$EPOCHREALTIME; check > /dev/null; end=$EPOCHREALTIME
  printf 'round %s: curl and %s -d %.2f s, nri-compat check %.2f s\n' "$round" "$packing" \
    "$(echo "$middle - $start" | bc)" "$(echo "$end - $middle" | bc)"
done
python3 - "$target/release/nri-compat" "$host" <<'PYTHON'
import resource, subprocess, sys
command, host = sys.argv[1:]
subprocess.run([command, "check", "--insecure", host, f"docker://{host}/bench:v1"], stdout=subprocess.DEVNULL)
print(f"memory: {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024:.0f} MiB at most")
PYTHON
