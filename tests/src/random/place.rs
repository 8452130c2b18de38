//! Picks the place of a change.

use fastrand::Rng;

use super::ast::{Enum, Extend, Field, File, Message, Method, Service, Set, one, pick};

pub(super) fn a_file<'a>(set: &'a mut Set, rng: &mut Rng) -> Option<&'a mut File> {
    one(&mut set.files, rng)
}

pub(super) fn a_message<'a>(set: &'a mut Set, rng: &mut Rng) -> Option<&'a mut Message> {
    pick(&mut a_file(set, rng)?.messages, rng)
}

/// Returns a place where messages are declared: a file or a message.
pub(super) fn message_list<'a>(set: &'a mut Set, rng: &mut Rng) -> Option<&'a mut Vec<Message>> {
    if rng.bool() {
        Some(&mut a_file(set, rng)?.messages)
    } else {
        Some(&mut a_message(set, rng)?.messages)
    }
}

pub(super) fn enum_list<'a>(set: &'a mut Set, rng: &mut Rng) -> Option<&'a mut Vec<Enum>> {
    if rng.bool() {
        Some(&mut a_file(set, rng)?.enums)
    } else {
        Some(&mut a_message(set, rng)?.enums)
    }
}

pub(super) fn an_enum<'a>(set: &'a mut Set, rng: &mut Rng) -> Option<&'a mut Enum> {
    one(enum_list(set, rng)?, rng)
}

/// Returns a field of a message, or occasionally an extension.
pub(super) fn a_field<'a>(set: &'a mut Set, rng: &mut Rng) -> Option<&'a mut Field> {
    if rng.u8(..6) == 0 {
        one(&mut an_extend(set, rng)?.fields, rng)
    } else {
        one(&mut a_message(set, rng)?.fields, rng)
    }
}

pub(super) fn an_extend<'a>(set: &'a mut Set, rng: &mut Rng) -> Option<&'a mut Extend> {
    if rng.u8(..3) == 0 {
        one(&mut a_message(set, rng)?.extends, rng)
    } else {
        one(&mut a_file(set, rng)?.extends, rng)
    }
}

pub(super) fn a_service<'a>(set: &'a mut Set, rng: &mut Rng) -> Option<&'a mut Service> {
    one(&mut a_file(set, rng)?.services, rng)
}

pub(super) fn a_method<'a>(set: &'a mut Set, rng: &mut Rng) -> Option<&'a mut Method> {
    one(&mut a_service(set, rng)?.methods, rng)
}

pub(super) fn message_uid(set: &mut Set, rng: &mut Rng) -> Option<u32> {
    Some(a_message(set, rng)?.uid)
}

pub(super) fn a_type(set: &mut Set, rng: &mut Rng) -> Option<u32> {
    if rng.bool() { message_uid(set, rng) } else { Some(an_enum(set, rng)?.uid) }
}
