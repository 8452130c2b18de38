#!/bin/sh
# rustdoc with its JSON output, which is not stable: `interfaces.rs` says which version of it is read. The variable is set here
# and not for cargo, because it would compile every dependency again.
RUSTC_BOOTSTRAP=1 exec rustdoc "$@"
