//! The facts of `nri-compat`: the releases that its readers and verdicts depend on, and the events
//! by the names of their RPCs.

use proc_macro2::TokenStream;
use quote::quote;

use nri_schema::history::{Deprecation, History};
use nri_schema::{Error, ErrorKind, Problem};

use super::rpc::first_with;

/// The id of the deprecation of `StateChange`.
const STATE_CHANGE: &str = "state-change";

/// Returns the facts as constants.
///
/// # Errors
///
/// Returns an error if a table or the newest revision lacks one of them.
pub(super) fn emit(history: &History) -> Result<TokenStream, Error> {
    let releases = releases(history)?;
    let events = events(history)?;
    Ok(quote! {
        //! Names and releases of NRI that readers and verdicts depend on.

        #releases
        #events
    })
}

fn releases(history: &History) -> Result<TokenStream, Error> {
    let module = history.module().ok_or_else(|| missing("the Go module"))?;
    let wasm = history.wasm_since().ok_or_else(|| missing("the first release with WebAssembly"))?;
    let one_shot = &history.one_shot().first().ok_or_else(|| missing("a one-shot release"))?.name;
    let protocol = &history.releases().first().ok_or_else(|| missing("a release"))?.name;
    let pod_updates = first(history, "UpdatePodSandbox")?;
    let validation = first(history, "ValidateContainerAdjustment")?;
    let dedicated = state_change(history)?
        .deprecated_in
        .nri
        .as_ref()
        .ok_or_else(|| missing("the release that deprecates StateChange"))?;
    Ok(quote! {
        /// The path of NRI's Go module.
        pub(crate) const MODULE: &str = #module;
        /// The release with one-shot plugins, before the protocol.
        pub(crate) const ONE_SHOT: &str = #one_shot;
        /// The first release of the protocol.
        pub(crate) const PROTOCOL: &str = #protocol;
        /// The first release that loads WebAssembly modules.
        pub(crate) const WASM: &str = #wasm;
        /// The first release with an RPC for updates of pods, tagged or not.
        pub(crate) const POD_UPDATES: &str = #pod_updates;
        /// The first release with an RPC for the validation of adjustments.
        pub(crate) const VALIDATION: &str = #validation;
        /// The first release with a dedicated RPC for each event.
        pub(crate) const DEDICATED: &str = #dedicated;
    })
}

fn events(history: &History) -> Result<TokenStream, Error> {
    let all = events_of(history, "latest")?;
    let count = all.len();
    let pod_updates = first(history, "UpdatePodSandbox")?;
    let before_pod_updates = events_of(history, previous(history, pod_updates)?)?.len();
    let with_pod_updates = events_of(history, pod_updates)?.len();
    let with_validation = events_of(history, first(history, "ValidateContainerAdjustment")?)?.len();
    let replacing = &state_change(history)?.replaced_by;
    let is_replacing = |event: &&&str| replacing.iter().any(|(_, rpc)| rpc == **event);
    let dedicated: Vec<&&str> = all.iter().filter(is_replacing).collect();
    let dedicated_count = dedicated.len();
    Ok(quote! {
        /// The RPCs of the events that had no dedicated RPC before [`DEDICATED`].
        pub(crate) const DEDICATED_RPCS: [&str; #dedicated_count] = [#(#dedicated),*];
        /// RPC names of all events, in the order of their numbers, starting at 1.
        pub(crate) const EVENTS: [&str; #count] = [#(#all),*];
        /// The events known to a stub without pod updates and validation: the first ones of
        /// [`EVENTS`].
        pub(crate) const BEFORE_POD_UPDATES: &[&str] = EVENTS.split_at(#before_pod_updates).0;
        /// The events known to a stub with pod updates but without validation.
        pub(crate) const WITH_POD_UPDATES: &[&str] = EVENTS.split_at(#with_pod_updates).0;
        /// The events known to every stub with validation. A later release may have added events,
        /// which stubs built before it lack.
        pub(crate) const WITH_VALIDATION: &[&str] = EVENTS.split_at(#with_validation).0;
    })
}

fn state_change(history: &History) -> Result<&Deprecation, Error> {
    let found = history.deprecations().iter().find(|deprecation| deprecation.id == STATE_CHANGE);
    found.ok_or_else(|| missing("the deprecation of StateChange"))
}

/// Returns the first revision whose service `Plugin` has this RPC.
fn first<'h>(history: &'h History, rpc: &str) -> Result<&'h str, Error> {
    let newest = history.revisions().last().ok_or_else(|| missing("a revision"))?;
    let name = format!("{}.Plugin.{rpc}", newest.protocol()?.package);
    first_with(history, &name)?.ok_or_else(|| missing(rpc))
}

/// Returns the revision before this one.
fn previous<'h>(history: &'h History, revision: &str) -> Result<&'h str, Error> {
    let mut before = history.revisions().iter().take_while(|known| known.name() != revision);
    let previous = before.by_ref().last();
    previous.map(|known| known.name()).ok_or_else(|| missing("an earlier revision"))
}

/// Returns the RPC names of the events that a release knows.
fn events_of<'h>(history: &'h History, release: &str) -> Result<Vec<&'h str>, Error> {
    let protocol = history.revision_of(history.release(release)?)?.protocol()?;
    let events = protocol.nri.iter().flat_map(|nri| &nri.events);
    Ok(events.map(|event| event.rpc_name.as_str()).collect())
}

fn missing(fact: &str) -> Error {
    Problem::new(ErrorKind::Table, format!("the tables lack {fact}")).into()
}
