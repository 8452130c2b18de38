//! Services and their RPCs.

use std::collections::HashSet;

use super::super::pairs::{Pair, Pairs};
use super::super::schema::element::{Method, Service};
use super::super::sink::Sink;

/// The paths below an RPC.
const INPUT_TYPE: [i32; 1] = [2];
const OUTPUT_TYPE: [i32; 1] = [3];
const IDEMPOTENCY_LEVEL: [i32; 2] = [4, 34];

pub(in super::super) fn rpc_deleted(
    pairs: &Pairs<'_>,
    Pair { old, new }: Pair<'_, Service>,
    sink: &mut Sink,
) {
    let kept: HashSet<&str> = new.methods.iter().map(|method| method.id.name()).collect();
    for method in old
        .methods
        .iter()
        .filter(|method| !kept.contains(method.id.name()))
    {
        let message = format!(
            "RPC {:?} of service {:?} was deleted",
            method.id.name(),
            new.id.name()
        );
        sink.add(pairs.declared(&new.id), &method.id.full, message);
    }
}

pub(in super::super) fn request(pairs: &Pairs<'_>, methods: Pair<'_, Method>, sink: &mut Sink) {
    let path = &INPUT_TYPE;
    same(
        pairs,
        methods,
        sink,
        "request type",
        |method| format!("{:?}", method.input),
        path,
    );
}

pub(in super::super) fn response(pairs: &Pairs<'_>, methods: Pair<'_, Method>, sink: &mut Sink) {
    let path = &OUTPUT_TYPE;
    same(
        pairs,
        methods,
        sink,
        "response type",
        |method| format!("{:?}", method.output),
        path,
    );
}

pub(in super::super) fn client_streaming(
    pairs: &Pairs<'_>,
    methods: Pair<'_, Method>,
    sink: &mut Sink,
) {
    let words = |method: &Method| streaming(method.client_streaming);
    same(pairs, methods, sink, "client side", words, &[]);
}

pub(in super::super) fn server_streaming(
    pairs: &Pairs<'_>,
    methods: Pair<'_, Method>,
    sink: &mut Sink,
) {
    let words = |method: &Method| streaming(method.server_streaming);
    same(pairs, methods, sink, "server side", words, &[]);
}

pub(in super::super) fn idempotency(pairs: &Pairs<'_>, methods: Pair<'_, Method>, sink: &mut Sink) {
    let words = |method: &Method| idempotency_words(method.idempotency_level).to_owned();
    let path = &IDEMPOTENCY_LEVEL;
    same(pairs, methods, sink, "idempotency_level", words, path);
}

fn streaming(streams: bool) -> String {
    if streams { "streaming" } else { "unary" }.to_owned()
}

const fn idempotency_words(level: i32) -> &'static str {
    match level {
        0 => "IDEMPOTENCY_UNKNOWN",
        1 => "NO_SIDE_EFFECTS",
        2 => "IDEMPOTENT",
        _ => "unknown",
    }
}

/// Reports an RPC whose `words` differ, at `path` below it or else at the start of its file.
fn same(
    pairs: &Pairs<'_>,
    Pair { old, new }: Pair<'_, Method>,
    sink: &mut Sink,
    what: &str,
    words: impl Fn(&Method) -> String,
    path: &[i32],
) {
    let (before, after) = (words(old), words(new));
    if before != after {
        let (name, service) = (new.id.name(), &new.service);
        let message =
            format!("RPC {name:?} of service {service:?} changed {what} from {before} to {after}");
        sink.add(
            pairs.place(pairs.to.part(&new.id, path), &new.id),
            &new.id.full,
            message,
        );
    }
}
