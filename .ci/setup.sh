# What CI needs beyond Rust and Go: sourced by .ci/run, and by whoever wants to run one peer comparison by hand.
# Versions are pinned here and nowhere else; Go modules are pinned in their go.mod.
BUF_VERSION=1.75.0
PEERS="${CARGO_TARGET_DIR:-target}/peers"

# buf from the npm registry, into target/peers/buf.
install_buf() {
  local dir="$PEERS/buf"
  if [ "$("$dir/node_modules/.bin/buf" --version 2>/dev/null)" != "$BUF_VERSION" ]; then
    mkdir -p "$dir"
    npm install --prefix "$dir" --no-audit --no-fund --no-save "@bufbuild/buf@$BUF_VERSION"
  fi
}

# debian COMMAND PACKAGE: installs the package unless the command is there.
debian() {
  command -v "$1" >/dev/null && return
  local root=()
  [ "$(id -u)" = 0 ] || root=(sudo)
  "${root[@]}" apt-get update -qq
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$2"
}
