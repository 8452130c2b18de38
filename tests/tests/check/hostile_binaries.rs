//! Hostile programs: each made from scratch, each with the answer it must get.

use nri_compat::report::check::Outcome::{Deprecated, Incompatible, Unknown};
use nri_tests::hostile::ExpectedAnswer::{self, Is, NoPlugin};
use nri_tests::hostile::{HostileRow, check, elf, judged};

const SERVICE: &[u8] = b"\0nri.pkg.api.v1alpha1.Plugin\0StateChange\0RunPodSandbox\0";

/// Returns the manifest that the derive of crate `nri` embeds in a plugin with a handler of
/// StateChange.
fn manifest() -> Vec<u8> {
    let text = br#"{"format":1,"name":"a","index":"10","nri":"0.1.0","protocol":"0.12.0","min_protocol":null,"events":["RUN_POD_SANDBOX"],"required":[],"deprecated":["StateChange"]}"#;
    let length = u32::try_from(text.len()).unwrap();
    [b"NRI-PLUGIN-INFO\x01", &length.to_le_bytes()[..], text].concat()
}

fn row(member: impl Into<String>, bytes: Vec<u8>, answer: ExpectedAnswer) -> HostileRow {
    HostileRow { member: member.into(), file: "program", bytes, answer }
}

#[test]
fn programs_that_are_cut_short_or_damaged() {
    let program = elf::with(&manifest());
    let other = elf::with(b"nothing of interest");
    let mut rows = vec![
        row("whole", program.bytes.clone(), Is(Deprecated, "StateChange")),
        row("without section headers", program.without_sections(), Is(Deprecated, "StateChange")),
        row(
            "cut behind what is loaded",
            program.bytes[..program.loaded].to_vec(),
            Is(Deprecated, "StateChange"),
        ),
        row("whole, nothing of NRI", other.bytes.clone(), NoPlugin),
        row("an object file", object(other.bytes.clone()), NoPlugin),
        row(
            "PE with the name of the protocol",
            [&b"MZ\x90\0\x03"[..], SERVICE].concat(),
            Is(Unknown, "another operating system"),
        ),
        row("PE, nothing of NRI", b"MZ\x90\0\x03".to_vec(), NoPlugin),
        row("text that starts like PE", [b"MZ is not a program", SERVICE].concat(), NoPlugin),
        row(
            "Mach-O with the name of the protocol",
            [&[0xcf, 0xfa, 0xed, 0xfe], SERVICE].concat(),
            Is(Unknown, "another operating system"),
        ),
        row("Mach-O, big-endian, nothing of NRI", vec![0xfe, 0xed, 0xfa, 0xce, 0], NoPlugin),
        row(
            "Mach-O for several architectures, with the name of the protocol",
            [&[0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 1], SERVICE].concat(),
            Is(Unknown, "another operating system"),
        ),
        row("a Java class", b"\xca\xfe\xba\xbe\0\0\0\x34rest of it".to_vec(), NoPlugin),
        row(
            "UPX",
            [&b"\x7fELF\x02\x01\x01"[..], &[0; 200], b"UPX!", &[7; 900]].concat(),
            Is(Unknown, "UPX"),
        ),
        row(
            "no section headers, nothing known",
            other.without_sections(),
            Is(Unknown, "no section headers"),
        ),
        row(
            "a zip file appended",
            [&other.bytes[..], b"PK\x03\x04 and more"].concat(),
            Is(Unknown, "zip"),
        ),
        row(
            "a program appended",
            [&other.bytes[..], b"\x7fELF\x02\x01\x01"].concat(),
            Is(Unknown, "another program"),
        ),
        row(
            "a PyInstaller archive appended",
            [&other.bytes[..], &[1; 100], b"MEI\x0c\x0b\x0a\x0b\x0e\0"].concat(),
            Is(Unknown, "PyInstaller"),
        ),
    ];
    for end in 4..other.loaded {
        let cut = other.bytes[..end].to_vec();
        rows.push(row(format!("ELF cut at {end}"), cut, Is(Unknown, "cut short")));
    }
    check(&rows);
}

#[test]
fn programs_with_bindings_of_their_own() {
    let with = |constants: &[u8]| elf::with(constants).bytes;
    let many: Vec<u8> = (0..70)
        .flat_map(|at| {
            let text = String::from_utf8(manifest()[20..].to_vec())
                .unwrap()
                .replace("\"a\"", &format!("\"{at:03}\""));
            let length = u32::try_from(text.len()).unwrap();
            [b"NRI-PLUGIN-INFO\x01", &length.to_le_bytes()[..], text.as_bytes()].concat()
        })
        .collect();
    check(&[
        row(
            "the service as a string",
            with(SERVICE),
            Is(Unknown, "the service that plugins serve"),
        ),
        row(
            "the name put together when it runs",
            with(b"nri.pkg.api.\0v1alpha1\0Plugin"),
            Is(Unknown, "name of NRI's protocol"),
        ),
        row(
            "the text of the proto",
            with(b"package nri.pkg.api.v1alpha1;\nservice Plugin {}"),
            Is(Unknown, "text of NRI's proto"),
        ),
        row(
            "the name of the other service",
            with(b"nri.pkg.api.v1alpha1.Runtime"),
            Is(Unknown, "register with"),
        ),
        row("nothing but the socket", with(b"/var/run/nri/nri.sock"), Is(Unknown, "socket")),
        row(
            "nothing but the environment",
            with(b"NRI_PLUGIN_SOCKET"),
            Is(Unknown, "a variable that runtimes set for plugins"),
        ),
        row(
            "without section headers",
            elf::with(SERVICE).without_sections(),
            Is(Unknown, "the service that plugins serve"),
        ),
        row(
            "two manifests",
            with(&[manifest(), b"\0\0".to_vec(), manifest()].concat()),
            Is(Deprecated, "StateChange"),
        ),
        row("a manifest that is cut", with(&manifest()[..60]), Is(Unknown, "damaged")),
        row(
            "a manifest of another length",
            with(&[&manifest()[..16], &[255, 255, 0, 0], &manifest()[20..]].concat()),
            Is(Unknown, "damaged"),
        ),
        row("more manifests than are read", with(&many), Is(Unknown, "too many")),
        row("the marker alone", with(b"NRI-PLUGIN-INFO\x01\x05\0\0\0other"), NoPlugin),
        row(
            "a tool that says so",
            with(b"NRI-PLUGIN-INFO\x01\x10\0\0\0{\"tool\":\"other\"}nri.pkg.api.v1alpha1.Plugin"),
            NoPlugin,
        ),
    ]);
}

#[test]
fn webassembly() {
    let module = |parts: &[&[u8]]| [&b"\0asm\x01\0\0\0"[..], &parts.concat()].concat();
    let exports = b"\x07\x16\x01\x12plugin_api_version\0\0";
    let state_change = b"\x07\x17\x01\x13plugin_state_change\0\0";
    let named =
        |member: &str, bytes, answer| HostileRow { file: "10-a", ..row(member, bytes, answer) };
    let mut rows = vec![
        row("it lacks functions", module(&[exports]), Is(Incompatible, "lacks")),
        row(
            "without a version",
            module(&[state_change]),
            Is(Incompatible, "lacks plugin_api_version"),
        ),
        row("two tables of exports", module(&[exports, exports]), Is(Unknown, "cut short")),
        row(
            "functions without code",
            module(&[b"\x03\x02\x01\0", exports]),
            Is(Unknown, "cut short"),
        ),
        row("of another version", b"\0asm\x02\0\0\0".to_vec(), Is(Unknown, "cut short")),
        row("a component", b"\0asm\x0d\0\x01\0".to_vec(), Is(Unknown, "component")),
        row("an object file", module(&[b"\0\x08\x07linking"]), NoPlugin),
        row("another module", module(&[b"\x07\x05\x01\x01a\0\0"]), NoPlugin),
        named(
            "another module in the place of a plugin",
            module(&[b"\x07\x05\x01\x01a\0\0"]),
            Is(Incompatible, "lacks"),
        ),
    ];
    let whole = module(&[b"\x01\x01\0", exports]);
    for end in 4..whole.len() {
        rows.push(row(format!("cut at {end}"), whole[..end].to_vec(), Is(Unknown, "")));
    }
    check(&rows);
}

fn object(mut program: Vec<u8>) -> Vec<u8> {
    // Type, place and number of program headers.
    program[16] = 1;
    program[32..40].fill(0);
    program[56..58].fill(0);
    program
}

/// The magic is left alone: without it, a file does not start like a program, and no system starts
/// it.
#[test]
fn no_change_of_a_header_hides_a_plugin() {
    let program = elf::with(&manifest());
    for at in program.headers().filter(|at| *at >= 4) {
        for change in [1, 0x80, 0xff] {
            let mut bytes = program.bytes.clone();
            bytes[at] ^= change;
            let found = judged("program", &bytes);
            assert!(found.warns(), "byte {at} changed by {change:#x}: {found:#?}");
        }
    }
}

#[test]
fn no_prefix_hides_a_plugin() {
    let program = elf::with(&manifest());
    for end in 4..program.bytes.len() {
        let found = judged("program", &program.bytes[..end]);
        assert!(found.warns(), "cut at {end}: {found:#?}");
    }
}
