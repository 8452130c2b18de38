//! Implements a plugin for a plugin behind an [`Arc`], so that `main` can keep a handle while the
//! stub has another.

use std::marker::PhantomData;
use std::sync::Arc;

use super::connection::{Change, Done};
use super::rpcs::RPCS;
use super::{Body, Call, Hook, Plugin, Policies, Row};
use crate::api::EventMask;
use crate::{EventContext, Result};

/// An upper bound for the number of RPCs: functions can be indexed by number only up to a bound
/// known at compile time.
const MAX_RPCS: usize = 64;

const _: () = assert!(RPCS.len() <= MAX_RPCS);

impl<P: Plugin> Plugin for Arc<P> {
    const NAME: Option<&'static str> = P::NAME;
    const INDEX: Option<&'static str> = P::INDEX;
    const PROTOCOL: Option<&'static str> = P::PROTOCOL;
    const EVENTS: EventMask = P::EVENTS;
    const TABLE: &'static [Row<Self>] = Rows::<P>::ALL.split_at(RPCS.len()).0;
    const POLICIES: Policies = P::POLICIES;
    const CONNECTION: Option<Hook<Self>> = match P::CONNECTION {
        Some(_) => Some(hook::<P>),
        None => None,
    };
    const MANIFEST: &'static [u8] = P::MANIFEST;
}

/// The rows of `Arc<P>`.
struct Rows<P>(PhantomData<P>);

macro_rules! rows {
    ($($index:literal)*) => {
        &[$(row::<P, $index>()),*]
    };
}

impl<P: Plugin> Rows<P> {
    const ALL: &'static [Row<Arc<P>>; MAX_RPCS] = rows!(
        0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
        32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63
    );
}

const fn row<P: Plugin, const INDEX: usize>() -> Row<Arc<P>> {
    let rows = P::TABLE;
    if INDEX >= rows.len() {
        return Row::unhandled(RPCS[0]);
    }
    match rows[INDEX].handler {
        Some(_) => Row::handled(rows[INDEX].rpc, call::<P, INDEX>),
        None => Row::unhandled(rows[INDEX].rpc),
    }
}

fn call<'a, P: Plugin, const INDEX: usize>(
    plugin: &'a Arc<P>,
    cx: &'a EventContext,
    request: Body,
) -> Result<Call<'a>> {
    let row = const { &P::TABLE[INDEX] };
    match row.handler {
        Some(handler) => handler(plugin, cx, request),
        None => Err(super::route::unimplemented(row.rpc.name)),
    }
}

/// Runs the hook of a plugin that has one.
fn hook<'a, P: Plugin>(plugin: &'a Arc<P>, cx: &'a EventContext, change: Change<'a>) -> Done<'a> {
    match P::CONNECTION {
        Some(hook) => hook(plugin, cx, change),
        None => Box::pin(async {}),
    }
}
