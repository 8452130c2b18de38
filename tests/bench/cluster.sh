#!/usr/bin/env bash
# Time and memory of `check --cluster --no-pull` on a generated cluster, served on loopback: 5,000 nodes and 50,000 pods of
# about 7 kB each, like those of real clusters. Time is that of the command's own threads, because the server runs on the same
# machine. Beside it, the same requests by curl, which only counts the bytes.
#
#     tests/bench/cluster.sh [ROUNDS]
set -euo pipefail
cd "$(dirname "$0")/../.."
rounds=${1:-5}
folder=$(mktemp -d)
cargo build --profile bench --quiet -p nri-compat -p nri-tests --features nri-compat/cluster,nri-tests/cluster --bin nri-compat --bin api-server
mkfifo "$folder/end"
target/release/api-server "$folder" 5000 50000 6400 < "$folder/end" > "$folder/started" &
server=$!
exec 3> "$folder/end"
trap 'exec 3>&-; wait $server || true; rm -rf "$folder"' EXIT
until [ -s "$folder/started" ]; do kill -0 $server; done
url=$(grep -o 'http://[0-9.:]*' "$folder/kubeconfig")
curl_all() {
    for ((first = 0; first < 50000; first += 500)); do
        echo "url = \"$url/api/v1/pods?limit=500&continue=$first\""
        echo 'output = "/dev/null"'
    done | curl --silent --config -
}
for ((round = 1; round <= rounds; round++)); do
    /usr/bin/time -f 'nri-compat: %U s user, %S s system, %e s elapsed, %M KiB' \
        target/release/nri-compat check --cluster --no-pull --kubeconfig "$folder/kubeconfig" > "$folder/report"
    /usr/bin/time -f 'curl:       %U s user, %S s system, %e s elapsed, %M KiB' bash -c "$(declare -f curl_all); url=$url; curl_all"
done
tail -n 3 "$folder/report"
