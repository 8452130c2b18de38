//! Plays the scenarios that the selected statements need.

use std::pin::pin;

use super::judge::{Judge, needs};
use super::options::Options;
use super::scenario::{Evidence, Played, Stage};
use crate::{Error, Result};

/// Plays all scenarios that are needed, until `stop` completes.
///
/// # Errors
///
/// Returns an error if plugins cannot connect, if the runtime cannot run a plain pod, or if the run was stopped while it
/// was running pods.
pub(super) async fn play(
    stage: &Stage,
    options: &Options,
    stop: impl Future<Output = ()>,
) -> Result<Evidence> {
    let mut stop = pin!(stop);
    let mut evidence = Evidence::default();
    if stage.driver.is_some() {
        tokio::select! {
            played = drive(stage, options, &mut evidence) => played?,
            () = &mut stop => return Err(Error::new("stopped before all pods had been run")),
        }
    }
    if let Some(time) = options.observe {
        let watched = stage.watch(time, stop).await?;
        evidence.pods.extend(watched.pods);
        evidence.sequences.extend(watched.sequences);
    }
    let mut pods = evidence.pods.iter();
    evidence.runtime = pods.find_map(|case| case.record.runtime.clone());
    Ok(evidence)
}

async fn drive(stage: &Stage, options: &Options, evidence: &mut Evidence) -> Result<()> {
    // This scenario always comes first, because it shows whether the runtime can run pods at all.
    let life = stage.life().await?;
    evidence
        .pods
        .extend([life.orderly.clone(), life.busy.clone()]);
    evidence.sequences.clone_from(&life.sequences);
    evidence.life = Played::Yes(life);
    if needs(options, |judge| matches!(judge, Judge::Early(_))) {
        evidence.early = stage.early().await.into();
    }
    if needs(options, |judge| matches!(judge, Judge::RejectedPod(_))) {
        evidence.rejected_pod = stage.rejected_pod().await.into();
    }
    if needs(options, |judge| {
        matches!(judge, Judge::RejectedContainer(_))
    }) {
        evidence.rejected_container = stage.rejected_container().await.into();
    }
    if needs(options, |judge| {
        matches!(judge, Judge::Teardowns(_) | Judge::Chains(_))
    }) {
        evidence.teardowns = stage.teardowns().await.into();
    }
    if needs(options, |judge| matches!(judge, Judge::Hanging(_))) {
        evidence.hanging = stage.hanging().await.into();
    }
    if needs(options, |judge| {
        matches!(judge, Judge::Joining(_) | Judge::Registrations(_))
    }) {
        evidence.joining = stage.joining().await.into();
    }
    Ok(())
}
