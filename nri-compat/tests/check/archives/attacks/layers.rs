//! Tar entries, headers and links.

use super::Expected::{Found, Unknown};
use super::{PLUGIN, archive, base, entry, image, pax, plugin, verify};
use crate::common::image::{Layer, gzip};

#[test]
fn types_of_entries_that_programs_treat_differently() {
    let folder = |kind| archive(&[entry(b"opt/nri/plugins/", kind, b"")]);
    let in_image = &["p: /opt/nri/plugins/10-a"];
    verify(vec![
        ("a folder as a file with a slash", image(&[base(), folder(b'0')]), Found(in_image)),
        ("a folder of an old archive", image(&[base(), folder(0)]), Found(in_image)),
        ("a folder with a list of its files", image(&[base(), folder(b'D')]), Found(in_image)),
        ("an unknown type", archive(&[entry(b"10-a", b'Z', b"MARK a")]), Found(&["/10-a"])),
        ("a contiguous file", archive(&[entry(b"10-a", b'7', b"MARK a")]), Found(&["/10-a"])),
        (
            "a label of the volume",
            archive(&[entry(b"label", b'V', b""), plugin()]),
            Found(&["/opt/nri/plugins/10-a"]),
        ),
        (
            "the rest of a file in another volume",
            archive(&[entry(b"10-a", b'M', b"rest"), plugin()]),
            Unknown("a part of a file"),
        ),
        (
            "a hard link with data",
            archive(&[entry(b"10-a", b'1', b"MARK a")]),
            Unknown("programs read differently"),
        ),
        (
            "a device over a plugin",
            image(&[base(), archive(&[entry(PLUGIN.as_bytes(), b'3', b"")])]),
            Found(&[]),
        ),
    ]);
}

#[test]
fn ends_of_archives_that_programs_treat_differently() {
    let two = |zeros: usize| {
        [plugin(), vec![0; zeros], entry(b"20-b", b'0', b"MARK b"), vec![0; 1024]].concat()
    };
    verify(vec![
        ("no end", plugin(), Found(&["/opt/nri/plugins/10-a"])),
        ("padding", [base(), vec![0; 30_000]].concat(), Found(&["/opt/nri/plugins/10-a"])),
        ("a single zero block", two(512), Unknown("data after the end")),
        ("two archives in one", two(1024), Unknown("data after the end")),
        ("two archives, far apart", two(1 << 20), Unknown("data after the end")),
        ("two archives in gzip", gzip(&two(1024)), Unknown("data after the end")),
        (
            "rubbish after gzip",
            [gzip(&base()), b"rubbish".to_vec()].concat(),
            Unknown("not all of it"),
        ),
        ("two archives in a layer", image(&[two(1024)]), Unknown("data after the end")),
    ]);
}

/// Returns an entry whose checksum is the sum of signed bytes.
fn signed() -> Vec<u8> {
    let mut entry = entry(b"\xe9\xe9/10-a", b'0', b"MARK a");
    let sum: i64 = entry[..512]
        .iter()
        .enumerate()
        .map(|(at, byte)| if (148..156).contains(&at) { 32 } else { i64::from(byte.cast_signed()) })
        .sum();
    entry[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    entry
}

#[test]
fn headers_that_are_odd() {
    let file = || entry(b"10-a", b'0', b"MARK a");
    verify(vec![
        (
            "a checksum of signed bytes",
            archive(&[signed()]),
            Unknown("not a kind of file that can be judged"),
        ),
        (
            "a damaged pax record before a sparse file",
            archive(&[pax(b'x', "99 a=b\n21 GNU.sparse.size=9\n"), file()]),
            Unknown("a pax header is damaged"),
        ),
        (
            "an empty line between pax records",
            archive(&[pax(b'x', "10 path=x\n\n13 path=20-b\n"), file()]),
            Found(&["/x"]),
        ),
        (
            "another size in a pax header",
            archive(&[pax(b'x', "10 size=9\n"), file()]),
            Found(&["/10-a"]),
        ),
        (
            "a pax record without a key",
            archive(&[pax(b'x', "6 abc\n"), file()]),
            Unknown("damaged"),
        ),
        (
            "a size that is no number",
            archive(&[pax(b'x', "10 size=x\n"), file()]),
            Unknown("that programs read differently"),
        ),
        ("an empty path", archive(&[pax(b'x', "8 path=\n"), file()]), Found(&["/"])),
        (
            "the last of two paths",
            archive(&[pax(b'x', "10 path=x\n13 path=20-b\n"), file()]),
            Unknown("that programs read differently"),
        ),
        (
            "a global path",
            archive(&[pax(b'g', "10 path=x\n"), file()]),
            Unknown("that programs read differently"),
        ),
        ("a global comment", archive(&[pax(b'g', "13 comment=x\n"), file()]), Found(&["/10-a"])),
    ]);
}

#[test]
fn links_among_folders_and_plugins() {
    let merged = || Layer::new().symbolic_link("lib", "usr/lib");
    let through = || merged().file("lib/nri/10-a", "MARK a").tar();
    let started = |link: Layer| link.file("bin/run", "#!/bin/sh\n").tar();
    let script = "a link to /bin/run, which is not known to be a plugin";
    verify(vec![
        (
            "a folder that is a link, again a link",
            image(&[through(), merged().tar()]),
            Found(&["p: /usr/lib/nri/10-a"]),
        ),
        (
            "a folder that is a link, removed",
            image(&[through(), Layer::new().file(".wh.lib", "").tar()]),
            Found(&["p: /usr/lib/nri/10-a"]),
        ),
        (
            "a link in a lower layer",
            image(&[
                merged().tar(),
                Layer::new().file("lib/nri/10-a", "MARK a").tar(),
                merged().tar(),
            ]),
            Found(&["p: /usr/lib/nri/10-a"]),
        ),
        (
            "a file that is replaced through a link",
            image(&[
                merged().file("usr/lib/nri/10-a", "MARK a").tar(),
                Layer::new().file("lib/nri/10-a", "other").tar(),
            ]),
            Found(&[]),
        ),
        (
            "a file that is removed through a link",
            image(&[
                merged().file("usr/lib/nri/10-a", "MARK a").tar(),
                Layer::new().file("lib/nri/.wh.10-a", "").tar(),
            ]),
            Found(&[]),
        ),
        (
            "a circle of links among folders",
            image(&[
                Layer::new().symbolic_link("a", "b").symbolic_link("b", "a").tar(),
                Layer::new().file("a/10-a", "MARK a").tar(),
            ]),
            Found(&["p: /a/10-a"]),
        ),
        (
            "a folder that became a link",
            image(&[Layer::new().file("lib/nri/10-a", "MARK a").tar(), merged().tar()]),
            Found(&[]),
        ),
        (
            "a symbolic link to a script",
            started(Layer::new().symbolic_link(PLUGIN, "/bin/run")),
            Unknown(script),
        ),
        (
            "a relative link to a script",
            image(&[started(Layer::new().symbolic_link(PLUGIN, "../../../bin/run"))]),
            Unknown(script),
        ),
        (
            "a hard link to a script",
            image(&[started(Layer::new()), Layer::new().hard_link(PLUGIN, "bin/run").tar()]),
            Unknown(script),
        ),
        (
            "a link without a plugin's name",
            started(Layer::new().symbolic_link("opt/nri/plugins/logger", "/bin/run")),
            Unknown(script),
        ),
        (
            "a loop",
            Layer::new()
                .symbolic_link("opt/nri/plugins/10-a", "20-b")
                .symbolic_link("opt/nri/plugins/20-b", "10-a")
                .tar(),
            Unknown("a link to /opt/nri/plugins/20-b"),
        ),
        (
            "a link to a plugin",
            Layer::new().file("bin/run", "MARK a").symbolic_link(PLUGIN, "/bin/run").tar(),
            Found(&["/opt/nri/plugins/10-a"]),
        ),
        (
            "a link that is removed",
            image(&[
                started(Layer::new().symbolic_link(PLUGIN, "/bin/run")),
                Layer::new().file("opt/nri/plugins/.wh.10-a", "").tar(),
            ]),
            Found(&[]),
        ),
        (
            "an opaque folder with a new file",
            image(&[
                base(),
                Layer::new()
                    .file("opt/nri/plugins/20-b", "MARK b")
                    .file("opt/nri/.wh..wh..opq", "")
                    .tar(),
            ]),
            Found(&["p: /opt/nri/plugins/20-b"]),
        ),
    ]);
}
