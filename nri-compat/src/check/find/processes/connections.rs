//! The connections to the NRI sockets of runtimes, in all network namespaces, from the kernel's
//! `sock_diag` interface ([sock_diag(7)](https://man7.org/linux/man-pages/man7/sock_diag.7.html)).
//!
//! `/proc/net/unix` does not have the peers.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{AddressFamily, SocketFlags, SocketType, netlink, socket_with};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

use super::Connections;
use crate::check::scan::Scan;
use crate::place::Place;
use crate::skipped::Unreadable;

/// The name of an NRI socket. Its folder depends on the distribution.
const SOCKET_NAME: &str = "nri.sock";

/// The maximum number of network namespaces that are examined.
const MAX_NAMESPACES: usize = 10_000;

/// Returns the connections to NRI sockets of the processes `pids`. `configured` are the paths of
/// the sockets that configurations name.
///
/// The sockets of a connection belong to the network namespace of the process that connected, even
/// if the path is on a volume from the host. So the kernel is asked in the namespace of every
/// process.
pub(super) fn connections(
    scan: &Scan<'_>,
    proc: &Path,
    pids: &[u32],
    configured: &[PathBuf],
) -> Connections {
    if proc.join("self/ns/net").read_link().is_err() {
        // The processes are not those of this kernel, as below the root of a machine that is not
        // live.
        return Connections::new();
    }
    let own = (proc.join("net/unix"), unix_sockets());
    let others = namespaces(proc, pids).into_iter().map(|namespace| {
        let sockets = sockets_in(&namespace);
        (namespace, sockets)
    });
    let mut all = Connections::new();
    for (place, sockets) in std::iter::once(own).chain(others) {
        match sockets {
            Ok(sockets) => all.extend(nri_peers(sockets, configured)),
            // The process ended, and its connection with it.
            Err(_) if !place.exists() => {}
            Err(error) => {
                let why = Unreadable::from(&error);
                let reason = format!(
                    "the connections to NRI sockets in this network namespace cannot be seen: {why}; run it as root"
                );
                scan.skip(Place::from_path(&place), Unreadable { reason, ..why });
            }
        }
    }
    all
}

/// Returns the peers of the NRI sockets among these.
fn nri_peers(
    sockets: Vec<UnixSocket>,
    configured: &[PathBuf],
) -> impl Iterator<Item = (u32, PathBuf)> {
    sockets.into_iter().flat_map(|socket| {
        let path = PathBuf::from(OsString::from_vec(socket.path));
        let is_nri = path.file_name() == Some(OsStr::new(SOCKET_NAME))
            || configured.iter().any(|known| is_same(known, &path));
        let peers = socket.peers.into_iter().filter(move |_| is_nri);
        peers.map(move |inode| (inode, path.clone()))
    })
}

/// Returns true if two paths are the same; `/var/run` is a link to `/run`.
fn is_same(one: &Path, other: &Path) -> bool {
    let below_run = |path: &Path| path.strip_prefix("/var/run").map(Path::to_owned);
    let plain =
        |path: &Path| below_run(path).map_or(path.to_owned(), |rest| Path::new("/run").join(rest));
    plain(one) == plain(other)
}

/// Returns the other network namespaces of these processes, each once. A namespace whose process
/// may not be examined is left out: that its program cannot be read is reported already.
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
        unix_sockets()
    });
    let panicked = |_| io::Error::other("the thread for another namespace panicked");
    entered.join().map_err(panicked)?
}

/// A Unix socket.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct UnixSocket {
    /// The path that it is bound to. An accepted socket has the path of the one that listens.
    path: Vec<u8>,
    /// The inodes of the sockets at the other end: that of a connection, or those that wait to be
    /// accepted by a socket that listens.
    peers: Vec<u32>,
}

/// The family of Unix sockets.
const AF_UNIX: u8 = 1;

/// The type of a request for sockets of a family, and of the answers.
const SOCK_DIAG_BY_FAMILY: u16 = 20;

// Types of messages that end an answer.
const NLMSG_ERROR: u16 = 2;
const NLMSG_DONE: u16 = 3;

/// The flags of a request for all sockets: `NLM_F_REQUEST | NLM_F_DUMP`.
const ALL_SOCKETS: u16 = 0x301;

/// The wanted attributes: `UDIAG_SHOW_NAME | UDIAG_SHOW_PEER | UDIAG_SHOW_ICONS`.
const SHOW: u32 = 1 | 4 | 8;

// Types of attributes.
const UNIX_DIAG_NAME: u16 = 0;
const UNIX_DIAG_PEER: u16 = 2;
const UNIX_DIAG_ICONS: u16 = 3;

/// The sizes of the headers of a message and of a socket in it.
const MESSAGE_HEADER: usize = 16;
const SOCKET_HEADER: usize = 16;

/// The size of the buffer for answers; the kernel sends no larger ones.
const BUFFER: usize = 32 << 10;

/// The maximum number of answers.
const MAX_ANSWERS: usize = 100_000;

/// The time limit for each answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);

/// Returns the sockets in the network namespace of this thread.
///
/// # Errors
///
/// Returns an error if the kernel does not answer the request.
fn unix_sockets() -> io::Result<Vec<UnixSocket>> {
    let descriptor = socket_with(
        AddressFamily::NETLINK,
        SocketType::RAW,
        SocketFlags::CLOEXEC,
        Some(netlink::SOCK_DIAG),
    )?;
    set_socket_timeout(&descriptor, Timeout::Recv, Some(ANSWER_TIMEOUT))?;
    let mut socket = File::from(descriptor);
    socket.write_all(&request())?;
    let (mut sockets, mut buffer) = (Vec::new(), vec![0; BUFFER]);
    for _ in 0..MAX_ANSWERS {
        let read = socket.read(&mut buffer)?;
        if add_sockets(buffer.get(..read).unwrap_or_default(), &mut sockets)? {
            return Ok(sockets);
        }
    }
    Err(io::Error::other("too many sockets"))
}

fn request() -> Vec<u8> {
    let mut body = vec![AF_UNIX, 0, 0, 0];
    let (every_state, any_inode, any_cookie) = (u32::MAX, 0_u32, u32::MAX);
    for field in [every_state, any_inode, SHOW, any_cookie, any_cookie] {
        body.extend(field.to_ne_bytes());
    }
    let length = MESSAGE_HEADER + body.len();
    let mut message = u32::try_from(length).unwrap_or_default().to_ne_bytes().to_vec();
    message.extend(SOCK_DIAG_BY_FAMILY.to_ne_bytes());
    message.extend(ALL_SOCKETS.to_ne_bytes());
    // The sequence number and the sender, which the kernel fills in.
    message.extend([0; 8]);
    message.extend(body);
    message
}

/// Adds the sockets in an answer, and reports whether it was the last one.
fn add_sockets(mut answer: &[u8], sockets: &mut Vec<UnixSocket>) -> io::Result<bool> {
    while let Some((kind, body, rest)) = message(answer) {
        match kind {
            NLMSG_DONE => return Ok(true),
            NLMSG_ERROR => {
                let code = u32_at(body, 0).unwrap_or_default().cast_signed();
                return Err(io::Error::from_raw_os_error(code.saturating_neg()));
            }
            SOCK_DIAG_BY_FAMILY => sockets.push(socket(body)),
            _other_message => {}
        }
        answer = rest;
    }
    if answer.is_empty() {
        return Ok(false);
    }
    Err(io::Error::from(io::ErrorKind::InvalidData))
}

/// Splits the first message off: its type, its body, and what follows.
fn message(bytes: &[u8]) -> Option<(u16, &[u8], &[u8])> {
    let length = usize::try_from(u32_at(bytes, 0)?).ok()?;
    let kind = u16_at(bytes, 4)?;
    let body = bytes.get(MESSAGE_HEADER..length)?;
    Some((kind, body, after(bytes, length)))
}

fn socket(body: &[u8]) -> UnixSocket {
    let mut socket = UnixSocket::default();
    let mut attributes = body.get(SOCKET_HEADER..).unwrap_or_default();
    while let (Some(length), Some(kind)) = (u16_at(attributes, 0), u16_at(attributes, 2)) {
        let Some(value) = attributes.get(4..usize::from(length)) else {
            break;
        };
        match kind {
            UNIX_DIAG_NAME => socket.path = value.strip_suffix(b"\0").unwrap_or(value).to_vec(),
            UNIX_DIAG_PEER | UNIX_DIAG_ICONS => {
                let inodes = value.chunks_exact(4).filter_map(|inode| u32_at(inode, 0));
                // A socket that was closed has no inode.
                socket.peers.extend(inodes.filter(|inode| *inode != 0));
            }
            _other_attribute => {}
        }
        attributes = after(attributes, usize::from(length));
    }
    socket
}

/// Returns what follows a part of this length, which is padded to four bytes.
fn after(bytes: &[u8], length: usize) -> &[u8] {
    bytes.get(length.next_multiple_of(4)..).unwrap_or_default()
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let field = bytes.get(at..)?.first_chunk()?;
    Some(u16::from_ne_bytes(*field))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let field = bytes.get(at..)?.first_chunk()?;
    Some(u32::from_ne_bytes(*field))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn var_run_is_run() {
        for (one, other, expected) in [
            ("/var/run/x/plugins.sock", "/run/x/plugins.sock", true),
            ("/run/x/plugins.sock", "/run/y/plugins.sock", false),
        ] {
            assert_eq!(is_same(Path::new(one), Path::new(other)), expected);
        }
    }

    #[test]
    fn damaged_answers_are_errors() {
        let mut error = 20_u32.to_ne_bytes().to_vec();
        error.extend(NLMSG_ERROR.to_ne_bytes());
        error.extend([0; 10]);
        error.extend((-2_i32).to_ne_bytes());
        let found = add_sockets(&error, &mut Vec::new()).unwrap_err();
        assert_eq!(found.raw_os_error(), Some(2));
        for end in 1..error.len() {
            assert!(add_sockets(&error[..end], &mut Vec::new()).is_err());
        }
        assert!(!add_sockets(&[], &mut Vec::new()).unwrap());
        for length in 0..40 {
            let _ = add_sockets(&[length; 40], &mut Vec::new());
            let _ = socket(&vec![length; usize::from(length)]);
        }
    }
}
