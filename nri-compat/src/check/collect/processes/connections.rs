//! The connections to the NRI sockets of runtimes, in all network namespaces.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

use super::Connections;
use super::unix_sockets::{self, UnixSocket};
use crate::place::Place;
use crate::skipped::{Skipped, Unreadable};

/// The name of an NRI socket, in whatever folder a distribution puts it.
const SOCKET_NAME: &str = "nri.sock";

/// The maximum number of network namespaces that are examined.
const MAX_NAMESPACES: usize = 10_000;

/// Returns the connections to NRI sockets of the processes `pids`. `configured` are the paths of the
/// sockets that configurations name.
///
/// The sockets of a connection belong to the network namespace of the process that connected, even if
/// the path is on a volume from the host. So the kernel is asked in the namespace of every process.
pub(super) fn connections(proc: &Path, pids: &[u32], configured: &[PathBuf]) -> Connections {
    let mut all = Connections::default();
    if proc.join("self/ns/net").read_link().is_err() {
        // The processes are not those of this kernel, as below the root of a machine that is not live.
        return all;
    }
    match unix_sockets::list() {
        Ok(sockets) => all.add(&sockets, configured),
        Err(error) => all.skip(Place::from_path(&proc.join("net/unix")), &error),
    }
    for namespace in namespaces(proc, pids) {
        match sockets_in(&namespace) {
            Ok(sockets) => all.add(&sockets, configured),
            // The process ended, and its connection with it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => all.skip(Place::from_path(&namespace), &error),
        }
    }
    all
}

impl Connections {
    fn add(&mut self, sockets: &[UnixSocket], configured: &[PathBuf]) {
        for socket in sockets {
            let path = Path::new(OsStr::from_bytes(&socket.path));
            let is_nri = || {
                path.file_name() == Some(OsStr::new(SOCKET_NAME))
                    || configured.iter().any(|known| is_same(known, path))
            };
            if !socket.peers.is_empty() && is_nri() {
                let peers = socket.peers.iter();
                self.by_inode
                    .extend(peers.map(|inode| (*inode, path.to_owned())));
            }
        }
    }

    fn skip(&mut self, place: Place, error: &io::Error) {
        let Unreadable { kind, reason } = Unreadable::from(error);
        let reason = format!(
            "the connections to NRI sockets in this network namespace cannot be seen: {reason}; run it as root"
        );
        self.skipped.push(Skipped::new(place, kind, reason));
    }
}

/// Reports whether two paths are the same; `/var/run` is a link to `/run`.
fn is_same(one: &Path, other: &Path) -> bool {
    let below_run = |path: &Path| path.strip_prefix("/var/run").map(Path::to_owned);
    let plain =
        |path: &Path| below_run(path).map_or(path.to_owned(), |rest| Path::new("/run").join(rest));
    plain(one) == plain(other)
}

/// Returns the other network namespaces of these processes, each once. A namespace whose process may
/// not be examined is left out: that its program cannot be read is reported already.
fn namespaces(proc: &Path, pids: &[u32]) -> Vec<PathBuf> {
    let own = Path::new("/proc/thread-self/ns/net").read_link().ok();
    let mut by_name = BTreeMap::new();
    for pid in pids {
        let file = proc.join(pid.to_string()).join("ns/net");
        if let Ok(name) = file.read_link()
            && by_name.len() < MAX_NAMESPACES
        {
            by_name.entry(name).or_insert(file);
        }
    }
    by_name.retain(|name, _| Some(name) != own.as_ref());
    by_name.into_values().collect()
}

/// Returns the sockets in another network namespace, which a thread of its own enters.
fn sockets_in(namespace: &Path) -> io::Result<Vec<UnixSocket>> {
    let namespace = File::open(namespace)?;
    let entered = std::thread::spawn(move || {
        move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Network))?;
        unix_sockets::list()
    });
    let panicked = |_| io::Error::other("the thread for another namespace panicked");
    entered.join().map_err(panicked)?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sockets_are_known_by_path_or_name() {
        let configured = [PathBuf::from("/var/run/x/plugins.sock")];
        for (path, expected) in [
            ("/run/nri/nri.sock", true),
            ("/var/snap/x/nri.sock", true),
            ("nri.sock", true),
            ("/run/x/plugins.sock", true),
            ("/var/run/x/plugins.sock", true),
            ("/run/y/plugins.sock", false),
            ("/run/nri.sock/x", false),
            ("", false),
        ] {
            let mut all = Connections::default();
            let socket = UnixSocket {
                path: path.into(),
                peers: vec![7],
            };
            all.add(&[socket], &configured);
            assert_eq!(all.by_inode.contains_key(&7), expected, "{path}");
        }
    }
}
