//! The Unix sockets of the kernel with their peers, from the kernel's `sock_diag` interface
//! ([sock_diag(7)](https://man7.org/linux/man-pages/man7/sock_diag.7.html)).
//!
//! `/proc/net/unix` does not have the peers.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::time::Duration;

use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{AddressFamily, SocketFlags, SocketType, netlink, socket_with};

/// A socket.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct UnixSocket {
    /// The path that it is bound to. An accepted socket has the path of the one that listens.
    pub(super) path: Vec<u8>,
    /// The inodes of the sockets at the other end: that of a connection, or those that wait to be accepted
    /// by a socket that listens.
    pub(super) peers: Vec<u32>,
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

/// The time to wait for each answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Returns the sockets in the network namespace of this thread.
///
/// # Errors
///
/// Returns an error if the kernel does not answer the request.
pub(super) fn list() -> io::Result<Vec<UnixSocket>> {
    let socket = socket_with(
        AddressFamily::NETLINK,
        SocketType::RAW,
        SocketFlags::CLOEXEC,
        Some(netlink::SOCK_DIAG),
    )?;
    set_socket_timeout(&socket, Timeout::Recv, Some(PATIENCE))?;
    let mut socket = File::from(socket);
    socket.write_all(&request())?;
    let (mut sockets, mut buffer) = (Vec::new(), vec![0; BUFFER]);
    for _ in 0..MAX_ANSWERS {
        let read = socket.read(&mut buffer)?;
        if add(buffer.get(..read).unwrap_or_default(), &mut sockets)? {
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
    let mut message = u32::try_from(length)
        .unwrap_or_default()
        .to_ne_bytes()
        .to_vec();
    message.extend(SOCK_DIAG_BY_FAMILY.to_ne_bytes());
    message.extend(ALL_SOCKETS.to_ne_bytes());
    // The sequence number and the sender, which the kernel fills in.
    message.extend([0; 8]);
    message.extend(body);
    message
}

/// Adds the sockets in an answer, and reports whether it was the last one.
fn add(mut answer: &[u8], sockets: &mut Vec<UnixSocket>) -> io::Result<bool> {
    while let Some((kind, body, rest)) = message(answer) {
        match kind {
            NLMSG_DONE => return Ok(true),
            NLMSG_ERROR => return Err(kernel_error(body)),
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

fn kernel_error(body: &[u8]) -> io::Error {
    let code = u32_at(body, 0).unwrap_or_default();
    io::Error::from_raw_os_error(code.cast_signed().saturating_neg())
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
    fn damaged_answers_are_errors() {
        let mut error = 20_u32.to_ne_bytes().to_vec();
        error.extend(NLMSG_ERROR.to_ne_bytes());
        error.extend([0; 10]);
        error.extend((-2_i32).to_ne_bytes());
        let found = add(&error, &mut Vec::new()).unwrap_err();
        assert_eq!(found.raw_os_error(), Some(2));
        for end in 1..error.len() {
            assert!(add(&error[..end], &mut Vec::new()).is_err());
        }
        assert!(!add(&[], &mut Vec::new()).unwrap());
        for length in 0..40 {
            let _ = add(&[length; 40], &mut Vec::new());
            let _ = socket(&vec![length; usize::from(length)]);
        }
    }
}
