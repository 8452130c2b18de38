//! Takes over the socket that a runtime passes to a plugin that it launches.
//!
//! The only file of this side of the crate with `unsafe` code. A file descriptor that is passed as
//! a number in the environment cannot become an owned one in any other way: the standard library
//! cannot know that nothing else in this process uses it. Here that is known as far as possible:
//! the runtime passed the number for this purpose only, it is taken over at most once in the life
//! of the process, and it is open.
#![allow(unsafe_code)]

use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};

use socket2::{SockRef, Type};

use crate::{Error, ErrorKind, Result};

/// The first number that is not standard input, output or error.
const FIRST_INHERITED: RawFd = 3;

/// True if a descriptor was taken over already.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Returns the stream of the descriptor with this number, and makes it close-on-exec.
///
/// # Errors
///
/// Returns [`ErrorKind::Config`] if the text is not the number of an open, connected Unix stream
/// socket, or one was taken over before.
pub(super) fn take_over(number: &str) -> Result<UnixStream> {
    let fd = number
        .parse()
        .ok()
        .filter(|fd| *fd >= FIRST_INHERITED)
        .ok_or_else(|| refused(number, "it is not a number of 3 or above"))?;
    if !is_open(fd) {
        return Err(refused(number, "it is not open"));
    }
    if TAKEN.swap(true, Ordering::Relaxed) {
        return Err(refused(number, "it was taken over before"));
    }
    // SAFETY: the descriptor is open, and the runtime passed it to this process only for this use.
    // The flag above ensures that no second owner is created here.
    let owned = unsafe { OwnedFd::from_raw_fd(fd) };
    check(owned).map_err(|reason| refused(number, &reason))
}

fn is_open(fd: RawFd) -> bool {
    // SAFETY: fcntl(F_GETFD) has no effect on any descriptor and takes any number.
    unsafe { libc::fcntl(fd, libc::F_GETFD) != -1 }
}

fn check(owned: OwnedFd) -> Result<UnixStream, String> {
    let stream = UnixStream::from(owned);
    // getpeername fails for anything that is not a connected socket, and the standard library
    // checks the family.
    stream.peer_addr().map_err(|error| format!("it is not a connected unix socket: {error}"))?;
    let socket = SockRef::from(&stream);
    match socket.r#type() {
        Ok(Type::STREAM) => {}
        Ok(_) => return Err("it is not a stream socket".to_owned()),
        Err(error) => return Err(error.to_string()),
    }
    socket.set_cloexec(true).map_err(|error| error.to_string())?;
    stream.set_nonblocking(true).map_err(|error| error.to_string())?;
    Ok(stream)
}

fn refused(number: &str, reason: &str) -> Error {
    let shown: String = number.chars().take(32).collect();
    Error::with_kind(
        ErrorKind::Config,
        format!("cannot take over the socket {shown:?} that the runtime passed: {reason}"),
    )
    .with_help("unset NRI_PLUGIN_SOCKET to run as an external plugin")
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::{Read, Write};
    use std::os::fd::{AsRawFd, IntoRawFd};
    use std::os::unix::net::UnixDatagram;

    use super::*;

    #[test]
    fn a_socket_is_taken_over_once_and_closed_to_children() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        SockRef::from(&ours).set_cloexec(false).unwrap();
        let number = ours.into_raw_fd().to_string();
        let mut taken = take_over(&number).unwrap();
        taken.write_all(b"x").unwrap();
        theirs.read_exact(&mut [0]).unwrap();
        // SAFETY: as in `is_open`.
        let flags = unsafe { libc::fcntl(taken.as_raw_fd(), libc::F_GETFD) };
        assert_eq!(flags & libc::FD_CLOEXEC, libc::FD_CLOEXEC);
        let again = take_over(&number).unwrap_err().to_string();
        assert!(again.ends_with("it was taken over before"));
    }

    #[test]
    fn what_is_no_number_or_not_open_is_refused() {
        let refused = |number| take_over(number).unwrap_err().to_string();
        for number in ["", "x", "-1", "0", "2", "4294967296"] {
            assert!(refused(number).contains("not a number"), "{number:?}");
        }
        assert!(refused("1000000").ends_with("it is not open"));
    }

    #[test]
    fn what_is_no_connected_unix_stream_is_refused() {
        let refused = |fd: OwnedFd| check(fd).unwrap_err();
        assert!(
            refused(File::open("/dev/null").unwrap().into())
                .contains("not a connected unix socket")
        );
        let (datagram, _other) = UnixDatagram::pair().unwrap();
        assert_eq!(refused(datagram.into()), "it is not a stream socket");
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let tcp = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        assert!(refused(tcp.into()).contains("not a connected unix socket"));
    }
}
