//! Names and modes of tar entries, and the folders that runtimes look into.

use super::Expected::{Found, Unknown};
use super::{PLUGIN, archive, entry, image, pax, verify};
use crate::common::image::Layer;

/// Returns a name that GNU tar stores ahead of an entry.
fn long_name(name: &str) -> Vec<u8> {
    entry(b"././@LongLink", b'L', format!("{name}\0").as_bytes())
}

/// Returns a plugin with a change in its header.
fn changed(change: impl FnOnce(&mut tar::Header)) -> Vec<u8> {
    let mut bytes = entry(PLUGIN.as_bytes(), b'0', b"#!/bin/sh");
    let mut header = tar::Header::new_old();
    header.as_mut_bytes().copy_from_slice(&bytes[..512]);
    change(&mut header);
    header.set_cksum();
    bytes[..512].copy_from_slice(header.as_bytes());
    archive(&[bytes])
}

#[test]
fn names_that_programs_read_differently() {
    let file = || entry(b"10-a", b'0', b"MARK a");
    let differently = || Unknown("that programs read differently");
    let path = |path: &str| pax(b'x', &format!("{} path={path}\n", path.len() + 9));
    let gnu = |text: &'static [u8]| {
        changed(|header| {
            let bytes = header.as_mut_bytes();
            bytes[257..265].copy_from_slice(b"ustar  \0");
            bytes[345..345 + text.len()].copy_from_slice(text);
        })
    };
    let both = || archive(&[long_name("20-b"), path("20-b"), file()]);
    verify(vec![
        ("of GNU and of pax", archive(&[long_name("30-c"), path("20-b"), file()]), differently()),
        (
            "of pax and of GNU",
            archive(&[path("20-b"), long_name("30-c"), file()]),
            Unknown("programs read differently"),
        ),
        ("equal ones", both(), Found(&["/20-b"])),
        (
            "two of GNU",
            archive(&[long_name("20-b"), long_name("30-c"), file()]),
            Unknown("two long name entries"),
        ),
        (
            "two pax headers",
            archive(&[path("20-b"), pax(b'x', "9 mtime=1\n"), file()]),
            Unknown(""),
        ),
        ("with a zero", archive(&[path("20-b\0"), file()]), Unknown("programs read differently")),
        (
            "without an entry",
            archive(&[file(), long_name("x")]),
            Unknown("describing a future member"),
        ),
        (
            "before a global header",
            archive(&[path("20-b"), pax(b'g', "13 comment=x\n"), file()]),
            differently(),
        ),
        ("times", gnu(b"00000000017 00000000017 "), Unknown("a script")),
    ]);
}

#[test]
fn modes_that_are_spelled_differently() {
    let mode = |mode: &'static [u8; 8]| {
        changed(|header| header.as_mut_bytes()[100..108].copy_from_slice(mode))
    };
    verify(vec![
        ("base 256", mode(b"\x80\0\0\0\0\0\x01\xed"), Unknown("a script")),
        ("negative", mode(&[0xff; 8]), Unknown("a script")),
        ("not executable", mode(b"0000644\0"), Found(&[])),
    ]);
}

#[test]
fn folders_that_runtimes_look_into_through_links() {
    let script = |path: &[u8]| entry(path, b'0', b"#!/bin/sh");
    let link = |path: &str, target: &str| Layer::new().symbolic_link(path, target).tar();
    let moved = Unknown("so that runtimes start the executables there");
    verify(vec![
        (
            "the folder",
            image(&[archive(&[script(b"srv/10-a")]), link("opt/nri/plugins", "/srv")]),
            moved,
        ),
        (
            "the folder above",
            image(&[archive(&[script(b"srv/plugins/10-a")]), link("opt/nri", "../srv")]),
            Unknown("a link to /srv"),
        ),
        (
            "to a folder of the same name",
            image(&[
                archive(&[script(b"usr/lib/nri/plugins/10-a")]),
                link("opt/nri", "/usr/lib/nri"),
            ]),
            Unknown("usr/lib/nri/plugins/10-a: a script"),
        ),
        (
            "a link that is gone",
            image(&[link("opt/nri", "/srv"), archive(&[entry(b"opt/.wh.nri", b'0', b"")])]),
            Found(&[]),
        ),
        (
            "a program without NRI in the folder",
            archive(&[entry(PLUGIN.as_bytes(), b'0', b"MARK NOTHING")]),
            Unknown("without a trace of NRI, which the runtime starts"),
        ),
        (
            "a program without NRI elsewhere",
            archive(&[entry(b"opt/my-nri/plugins/10-a", b'0', b"MARK NOTHING")]),
            Found(&[]),
        ),
    ]);
}
