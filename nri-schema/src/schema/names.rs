//! Looks for one name in an encoded set, which takes a fraction of the time of decoding it to a
//! schema.

use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};

/// The kind of a descriptor, which determines in which of its fields elements are declared.
#[derive(Clone, Copy)]
enum Scope {
    Set,
    File,
    Message,
    /// An enum, whose members are values, or a service, whose members are RPCs.
    List,
    Member,
}

impl Scope {
    /// Returns what an element in the field with this number of the scope's descriptor is, if it is
    /// declared there.
    fn inner(self, field: u32) -> Option<Scope> {
        match (self, field) {
            (Scope::Set, 1) => Some(Scope::File),
            (Scope::File, 4) | (Scope::Message, 3) => Some(Scope::Message),
            (Scope::File, 5 | 6) | (Scope::Message, 4) => Some(Scope::List),
            (Scope::Message | Scope::List, 2) => Some(Scope::Member),
            (Scope::Set | Scope::File | Scope::Message | Scope::List | Scope::Member, _) => None,
        }
    }

    /// Returns the number of the field with the name of the scope: of a file, its package.
    fn name(self) -> u32 {
        match self {
            Scope::File => 2,
            Scope::Set | Scope::Message | Scope::List | Scope::Member => 1,
        }
    }
}

/// Returns true if an encoded `FileDescriptorSet` declares a service, RPC, message, field, enum or
/// enum value (as `pkg.Enum.VALUE`) with this full name.
pub(crate) fn declares(set: &[u8], full_name: &str) -> bool {
    is_in(Scope::Set, set, full_name)
}

fn is_in(scope: Scope, descriptor: &[u8], path: &str) -> bool {
    parts(descriptor).any(|(field, element)| {
        let Some(inner) = scope.inner(field) else {
            return false;
        };
        let mut names = parts(element).filter(|(number, _)| *number == inner.name());
        let name = names.next().map_or(&[][..], |(_, name)| name);
        let is_file = matches!(inner, Scope::File);
        match path.as_bytes().strip_prefix(name) {
            // Without a package.
            Some(_) if name.is_empty() => is_file && is_in(inner, element, path),
            Some([]) => !is_file,
            Some([b'.', ..]) => is_in(inner, element, &path[name.len() + 1..]),
            Some(_) | None => false,
        }
    })
}

/// Returns the texts and messages in an encoded message, with the numbers of their fields. It ends
/// where the message cannot be decoded.
fn parts(mut message: &[u8]) -> impl Iterator<Item = (u32, &[u8])> {
    std::iter::from_fn(move || {
        loop {
            let (field, wire_type) = decode_key(&mut message).ok()?;
            if wire_type == WireType::LengthDelimited {
                let length = usize::try_from(decode_varint(&mut message).ok()?).ok()?;
                let (part, rest) = message.split_at_checked(length)?;
                message = rest;
                return Some((field, part));
            }
            skip_field(wire_type, field, &mut message, DecodeContext::default()).ok()?;
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile;

    #[test]
    fn every_kind_of_element_is_found_and_nothing_else() {
        let text = "syntax = \"proto3\"; package a.b; message M { string f = 1; message N { enum E { V = 0; } E e = 1; } } \
                    enum F { W = 0; } service S { rpc R(M) returns (M); }";
        let compiled = compile::text("x.proto", text).expect("compiles");
        let set = compiled.pool.encode_to_vec();
        for name in ["M", "M.f", "M.N", "M.N.e", "M.N.E", "M.N.E.V", "F", "F.W", "S", "S.R"] {
            assert!(declares(&set, &format!("a.b.{name}")), "{name}");
        }
        for name in [
            "",
            "a",
            "a.b",
            "a.b.",
            "a.b.N",
            "a.b.M.",
            "a.b.M.F",
            "a.b.f",
            "M",
            "a.b.M.f.x",
            "a.bM",
        ] {
            assert!(!declares(&set, name), "{name}");
        }
    }

    #[test]
    fn a_set_without_a_package_or_its_end_is_searched() {
        let text = "syntax = \"proto3\"; message M { string f = 1; }";
        let compiled = compile::text("x.proto", text).expect("compiles");
        let set = compiled.pool.encode_to_vec();
        assert!(declares(&set, "M.f") && !declares(&set, ".M.f"));
        assert!(!declares(&set[..set.len() - 1], "M.f"), "cut");
    }
}
