//! Services and their RPCs.

use std::collections::HashSet;

use super::super::sink::RuleRun;
use nri_schema::schema::{Method, ServiceDescriptor};

/// The paths below an RPC.
const INPUT_TYPE: [i32; 1] = [2];
const OUTPUT_TYPE: [i32; 1] = [3];
const IDEMPOTENCY_LEVEL: [i32; 2] = [4, 34];

pub(in crate::diff) fn rpc_deleted(
    run: &mut RuleRun<'_>,
    old: &ServiceDescriptor,
    new: &ServiceDescriptor,
) {
    let kept: HashSet<&str> = new.methods.iter().map(|method| method.id.name()).collect();
    for Method { id, .. } in &old.methods {
        if !kept.contains(id.name()) {
            let (name, service) = (id.name(), new.id.name());
            let message = format!("RPC {name:?} of service {service:?} was deleted");
            run.report_part(&new.id, &id.full, message);
        }
    }
}

pub(in crate::diff) fn request(run: &mut RuleRun<'_>, old: &Method, new: &Method) {
    let words = |method: &Method| format!("{:?}", method.input);
    same(run, (old, new), "request type", words, &INPUT_TYPE);
}

pub(in crate::diff) fn response(run: &mut RuleRun<'_>, old: &Method, new: &Method) {
    let words = |method: &Method| format!("{:?}", method.output);
    same(run, (old, new), "response type", words, &OUTPUT_TYPE);
}

pub(in crate::diff) fn client_streaming(run: &mut RuleRun<'_>, old: &Method, new: &Method) {
    let words = |method: &Method| streaming(method.client_streaming);
    same(run, (old, new), "client side", words, &[]);
}

pub(in crate::diff) fn server_streaming(run: &mut RuleRun<'_>, old: &Method, new: &Method) {
    let words = |method: &Method| streaming(method.server_streaming);
    same(run, (old, new), "server side", words, &[]);
}

pub(in crate::diff) fn idempotency(run: &mut RuleRun<'_>, old: &Method, new: &Method) {
    let levels = ["IDEMPOTENCY_UNKNOWN", "NO_SIDE_EFFECTS", "IDEMPOTENT"];
    let words = |method: &Method| super::word(&levels, method.idempotency_level).to_owned();
    let path = &IDEMPOTENCY_LEVEL;
    same(run, (old, new), "idempotency_level", words, path);
}

fn streaming(streams: bool) -> String {
    if streams { "streaming" } else { "unary" }.to_owned()
}

/// Reports an RPC whose `words` differ, at `path` below it or else at the start of its file.
fn same(
    run: &mut RuleRun<'_>,
    (old, new): (&Method, &Method),
    what: &str,
    words: impl Fn(&Method) -> String,
    path: &[i32],
) {
    let (before, after) = (words(old), words(new));
    if before != after {
        let (name, service) = (new.id.name(), &new.service);
        let message =
            format!("RPC {name:?} of service {service:?} changed {what} from {before} to {after}");
        run.report_only_at(run.pairs.to.part(&new.id, path), &new.id, message);
    }
}
