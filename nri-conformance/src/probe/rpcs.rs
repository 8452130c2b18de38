//! The first pass: each RPC of every known revision once, and one that does not exist.

use std::time::Duration;

use nri::api::{ConfigureResponse, Event, EventMask, RegisterPluginRequest};
use nri::plugin::Rpc;
use nri::wire::{CallError, Code};
use nri_adaptation::{Revision, Via};

use crate::error::Result;
use crate::result::Subject;
use crate::session::{can_fall_back, checked, life};

use super::answers::Reply;
use super::live::Live;
use super::run::{CONFIGURE, Run, SYNCHRONIZE, linking, out_of_time};
use super::{
    FailurePolicy, Form, Probed, RpcAnswer, RpcResult, RuntimeRelease, Subscription, answers,
};

/// The name of the RPC that does not exist.
pub const NO_SUCH_RPC: &str = "NoSuchRpc";

/// The RPC that may end a plugin, and is therefore called last.
const SHUTDOWN: &str = "Shutdown";

const STATE_CHANGE: &str = "StateChange";

/// The number of consecutive instances that fail before they can be called after which no more are
/// started.
const MAX_FAILED_STARTS: usize = 2;

/// The pass under way.
struct Pass<'r, 'a> {
    run: &'r mut Run<'a>,
    revision: Revision,
    runtime: Option<RuntimeRelease>,
    live: Option<Live>,
    /// The result, from the answers of the first instance.
    probed: Probed,
    /// The first result for Configure, and for Synchronize.
    handshake: Vec<RpcResult>,
    failed_starts: usize,
    /// Why there is no instance, if so.
    failure: String,
}

/// Calls each RPC, under the newest revision. A plugin that does not answer one is restarted for
/// the next. The RPC that does not exist is called first, because its answer tells what other
/// errors mean. Returns the result without targets.
pub(super) async fn probe(run: &mut Run<'_>) -> Result<Probed> {
    let revision = Revision::newest();
    let mut pass = Pass {
        probed: unknown(run),
        run,
        runtime: linking(&revision),
        revision,
        live: None,
        handshake: Vec::new(),
        failed_starts: 0,
        failure: String::new(),
    };
    let absent = pass.call(NO_SUCH_RPC).await?;
    let mut results = Vec::new();
    for rpc in order() {
        results.push(pass.call(rpc).await?);
    }
    results.insert(results.len() - 1, absent);
    if let Some(live) = pass.live.take() {
        live.finish(pass.run).await;
    }
    for rpc in [SYNCHRONIZE, CONFIGURE] {
        let result = pass.handshake.iter().find(|result| result.rpc == rpc).cloned();
        results.insert(0, result.unwrap_or_else(|| not_called(rpc, &pass.failure)));
    }
    pass.probed.rpcs = results;
    Ok(pass.probed)
}

/// Returns the result of a plugin that has not answered yet.
fn unknown(run: &Run<'_>) -> Probed {
    Probed {
        subject: Subject::plugin(RegisterPluginRequest::default()),
        form: if run.subject.is_module() { Form::Wasm } else { Form::Native },
        registered_after: None,
        subscription: None,
        exports: Vec::new(),
        rpcs: Vec::new(),
        targets: Vec::new(),
        troubles: Vec::new(),
        took: Duration::ZERO,
    }
}

/// Returns the RPCs after the handshake, in the order in which they are called. `Shutdown` is the
/// last.
fn order() -> Vec<&'static str> {
    let mut order: Vec<_> = life().map(Event::name).collect();
    order.extend(Revision::rpcs().iter().filter(|rpc| is_left(rpc)).map(|rpc| rpc.name));
    order.push(SHUTDOWN);
    order
}

/// Returns true if an RPC is not for an event and has no fixed place in the order.
fn is_left(rpc: &Rpc) -> bool {
    rpc.event.is_none() && ![CONFIGURE, SYNCHRONIZE, SHUTDOWN].contains(&rpc.name)
}

impl Pass<'_, '_> {
    async fn call(&mut self, rpc: &'static str) -> Result<RpcResult> {
        if self.run.is_out_of_time(&self.revision) {
            return Ok(not_called(rpc, &out_of_time(self.run.options)));
        }
        let mut live = match self.live.take() {
            Some(live) => live,
            None => match self.start().await? {
                Some(live) => live,
                None => return Ok(not_called(rpc, &self.failure)),
            },
        };
        if let Some(result) = not_exported(&live, rpc) {
            self.live = Some(live);
            return Ok(result);
        }
        let received = live.call(self.run, rpc, self.request(rpc)).await;
        if rpc == NO_SUCH_RPC
            && let Err(CallError::Status(status)) = &received.result
        {
            self.run.denial = Some(status.code);
        }
        let reply = received.and_then(|answer| match event(rpc) {
            Some(event) => checked(event, Via::Dedicated, answer).map(drop),
            None => Ok(()),
        });
        let result = result(&live, rpc, reply, self.run.denial);
        if live.over {
            live.finish(self.run).await;
        } else {
            self.live = Some(live);
        }
        Ok(result)
    }

    /// Starts an instance, and performs the handshake, and ignores errors of the plugin.
    async fn start(&mut self) -> Result<Option<Live>> {
        if self.failed_starts >= MAX_FAILED_STARTS {
            return Ok(None);
        }
        let mut live = match Live::start(self.run, &self.revision, false).await? {
            Ok(live) => live,
            Err(reason) => {
                self.failed_starts += 1;
                self.failure = format!("not called: {reason}");
                return Ok(None);
            }
        };
        if let Some((registration, after)) = &live.registration
            && self.probed.registered_after.is_none()
        {
            self.probed.subject = subject(registration);
            self.probed.registered_after = Some(*after);
        }
        if let Some(rpcs) = &live.instance.rpcs {
            self.probed.exports = rpcs.iter().map(|rpc| export(rpc)).collect();
        }
        let is_answered = self.shake_hands(&mut live).await;
        if live.is_gone() || !is_answered {
            self.failed_starts += 1;
            self.failure = format!("not called: {}", live.why_silent());
            live.finish(self.run).await;
            return Ok(None);
        }
        self.failed_starts = 0;
        // An instance that has not answered everything is called nevertheless.
        live.over = false;
        Ok(Some(live))
    }

    /// Configures and synchronizes the plugin. Returns true if it answers one of them.
    async fn shake_hands(&mut self, live: &mut Live) -> bool {
        let mut is_answered = false;
        if !live.is_gone() {
            let reply = live.configure(self.run, self.runtime.as_ref()).await;
            if let Ok(answer) = &reply.result {
                let known = &mut self.probed.subscription;
                known.get_or_insert_with(|| subscription(answer));
            }
            is_answered |= self.keep(live, CONFIGURE, reply);
        }
        if !live.is_gone() {
            let reply = live.synchronize(self.run).await;
            is_answered |= self.keep(live, SYNCHRONIZE, reply);
        }
        is_answered
    }

    /// Keeps the first result for an RPC of the handshake. Returns true if there was an answer.
    fn keep<T>(&mut self, live: &Live, rpc: &'static str, reply: Reply<T>) -> bool {
        let is_answered = reply.answered_after().is_some();
        if !self.handshake.iter().any(|result| result.rpc == rpc) {
            let result = result(live, rpc, reply, self.run.denial);
            self.handshake.push(result);
        }
        is_answered
    }

    fn request(&self, rpc: &str) -> Vec<u8> {
        if let Some(event) = event(rpc) {
            return self.run.request(event);
        }
        // The request of Shutdown is empty, and that of an unknown RPC does not matter.
        if rpc != STATE_CHANGE {
            return Vec::new();
        }
        let (event, via) = (Event::RunPodSandbox, Via::StateChange);
        let dedicated = self.run.request(event);
        let request = self.revision.request(event, via, &dedicated);
        request.map_or_else(Vec::new, |(_, encoded)| encoded.to_vec())
    }
}

/// Returns the event that an RPC is dedicated to.
fn event(rpc: &str) -> Option<Event> {
    life().find(|event| event.name() == rpc)
}

fn result<T>(live: &Live, rpc: &'static str, reply: Reply<T>, denial: Option<Code>) -> RpcResult {
    let answer = answers::kind(&reply.result, denial);
    let mut detail = live.words(&reply.result);
    let has_fallback = event(rpc).is_some_and(can_fall_back);
    if answer == RpcAnswer::Fallback && !has_fallback && rpc != NO_SUCH_RPC {
        detail.push_str("; runtimes have no fallback for it");
    }
    if answer != RpcAnswer::Fallback && rpc == NO_SUCH_RPC {
        detail.push_str("; UNIMPLEMENTED (12) is expected for an RPC that does not exist");
    }
    RpcResult { answer, took: reply.answered_after(), ..not_called(rpc, &detail) }
}

/// Returns the result for an RPC whose function a WebAssembly module does not export.
fn not_exported(live: &Live, rpc: &'static str) -> Option<RpcResult> {
    let exported = live.instance.rpcs.as_ref()?.contains(&rpc);
    if exported || rpc == NO_SUCH_RPC {
        return None;
    }
    let detail = format!(
        "{} is not exported; runtimes do not load the module from NRI {} on",
        export(rpc),
        since(rpc).unwrap_or_default()
    );
    Some(RpcResult { answer: RpcAnswer::Breaks, ..not_called(rpc, &detail) })
}

/// Returns the name of the function that a WebAssembly module exports for an RPC.
fn export(rpc: &str) -> String {
    let letters = rpc.chars().flat_map(|letter| {
        let before = letter.is_ascii_uppercase().then_some('_');
        before.into_iter().chain([letter.to_ascii_lowercase()])
    });
    "plugin".chars().chain(letters).collect()
}

fn not_called(rpc: &'static str, reason: &str) -> RpcResult {
    RpcResult {
        rpc,
        since: since(rpc),
        answer: RpcAnswer::Silent,
        detail: reason.to_owned(),
        took: None,
    }
}

fn since(rpc: &str) -> Option<&'static str> {
    Revision::rpcs().iter().find(|it| it.name == rpc).map(|it| it.since)
}

/// Returns the identity in a registration, with names of bounded length.
fn subject(registration: &RegisterPluginRequest) -> Subject {
    let short = |text: &str| text.chars().take(256).collect();
    Subject::plugin(RegisterPluginRequest {
        plugin_name: short(&registration.plugin_name),
        plugin_idx: short(&registration.plugin_idx),
        nri_version: short(&registration.nri_version),
    })
}

/// Returns the subscription in an answer to Configure.
fn subscription(answer: &ConfigureResponse) -> Subscription {
    let mask = answer.events;
    let events =
        if mask == 0 { Revision::newest().events() } else { EventMask::from_bits_truncate(mask) };
    Subscription {
        mask,
        events: events.iter().map(Event::name).collect(),
        failure_policy: answer.failure_policy.map(|policy| FailurePolicy {
            fail_request: policy.fail_request,
            keep_connected: policy.keep_connected,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rpc_is_called_once_and_shutdown_last() {
        let mut order = order();
        assert_eq!(order.last(), Some(&SHUTDOWN));
        order.extend([CONFIGURE, SYNCHRONIZE]);
        order.sort_unstable();
        let mut known: Vec<_> = Revision::rpcs().iter().map(|rpc| rpc.name).collect();
        known.sort_unstable();
        assert_eq!(order, known);
        assert_eq!(since(NO_SUCH_RPC), None);
    }
}
