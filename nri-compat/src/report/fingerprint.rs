//! A name for a finding that stays the same from run to run and from machine to machine.

use crate::report::check::{Subject, Verdict};

/// The fingerprint of a verdict: of its rule, its target, and the plugin's identity, as 32 hexadecimal digits.
///
/// Of the target's version only major and minor go in: `containerd@2.4` stands for its newest patch release, and another
/// one of these is no other finding.
///
/// A plugin is identified by its index and name where both or the name are known, else by where it is within whatever
/// it was found in; and by what sort of file it is. Neither events nor wording go in: they may change while the
/// finding stays.
pub fn fingerprint(subject: &Subject, verdict: &Verdict) -> String {
    let plugin = identity(subject);
    let parts = [
        verdict.rule,
        series(&verdict.target),
        subject.kind.as_str(),
        plugin.as_str(),
    ];
    fingerprint_of(&parts)
}

/// The fingerprint of any parts, in their order.
pub(crate) fn fingerprint_of(parts: &[&str]) -> String {
    format!("{:032x}", hash(parts))
}

/// `10-logger`, or the path without the image and the layer it is in, whose number another build changes, and without
/// the processes that run it.
pub(crate) fn identity(subject: &Subject) -> String {
    match subject.name {
        Some(_) => subject.label(),
        None => subject.place.path().to_owned(),
    }
}

/// `containerd@2.4` of `containerd@2.4.2`.
pub(crate) fn series(target: &str) -> &str {
    let version = target.find('@').map_or(0, |at| at + 1);
    let dots = target.match_indices('.').filter(|(at, _)| *at > version);
    match dots.map(|(at, _)| at).nth(1) {
        Some(end) => target.get(..end).unwrap_or(target),
        None => target,
    }
}

/// All parts, each closed by a zero byte.
fn hash(parts: &[&str]) -> u128 {
    fnv(parts.iter().flat_map(|part| part.bytes().chain([0])))
}

/// FNV-1a over 128 bits: a fixed function that needs no crate. It keeps apart what differs by chance, which is all
/// that a baseline needs. <http://www.isthe.com/chongo/tech/comp/fnv/>
fn fnv(bytes: impl Iterator<Item = u8>) -> u128 {
    const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    bytes.fold(OFFSET, |hash, byte| {
        (hash ^ u128::from(byte)).wrapping_mul(PRIME)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::place::Place;

    fn of(path: impl Into<Place>, name: Option<&str>, target: &str) -> String {
        let subject = Subject {
            place: path.into(),
            name: name.map(Into::into),
            index: name.map(|_| "10".into()),
            ..Subject::default()
        };
        let verdict = Verdict {
            target: target.into(),
            rule: "R",
            ..Verdict::default()
        };
        fingerprint(&subject, &verdict)
    }

    #[test]
    fn the_function_is_fixed() {
        assert_eq!(
            fnv("foobar".bytes()),
            0x343e_1662_793c_64bf_6f0d_3597_ba44_6f18
        );
        assert_eq!(of("/a", None, "t"), "6b69d3d6c17a579efa2c2a840cb5af4f");
    }

    #[test]
    fn a_patch_release_is_no_other_target() {
        let of_target = |target| of("/a", None, target);
        assert_eq!(of_target("containerd@2.4.2"), of_target("containerd@2.4"));
        assert_eq!(of_target("nri@0.12.5"), of_target("nri@0.12.6"));
        assert_ne!(of_target("containerd@2.4.2"), of_target("containerd@2.3.2"));
        assert_ne!(of_target("containerd@2.4"), of_target("cri-o@2.4"));
    }

    #[test]
    fn a_plugin_keeps_its_fingerprint_where_it_moves() {
        let of_name = |path: &str| of(path, Some("logger"), "t");
        assert_eq!(of_name("/a/10-logger"), of_name("/b/10-logger"));
        assert_eq!(
            of(
                Place::from("image.tar").in_layer(3).entry("/bin/p"),
                None,
                "t"
            ),
            of(
                Place::from("other.tar").in_layer(4).entry("/bin/p"),
                None,
                "t"
            )
        );
        assert_eq!(
            of(Place::from("/p").run_by(&[1]), None, "t"),
            of(Place::from("/p").run_by(&[2, 3]), None, "t")
        );
        assert_ne!(of("/a/p", None, "t"), of("/b/p", None, "t"));
        assert_ne!(of("/a/p", None, "t"), of("/a/p", None, "u"));
    }
}
