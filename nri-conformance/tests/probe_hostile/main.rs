//! Hostile plugins: every probe ends in bounded time and memory, reports what happened, and leaves
//! no process behind.
//!
//! The plugins are this test binary itself, started with `HOSTILE` set, and shell scripts.

mod hostile;

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use nri_conformance::probe::{
    EventOutcome, Options, Probed, RpcAnswer, Target, TroubleKind, Verdict, probe,
};
use nri_conformance::session::Timeouts;
use nri_conformance::subject::{Executable, Subject, adopt_orphans};
use tempfile::TempDir;

use hostile::process::{left, peak_memory};

/// The time within which each probe ends, with ample room for a loaded machine.
const BOUND: Duration = Duration::from_secs(60);

/// The memory that the tests of this file may use together, in KiB.
const MEMORY: u64 = 512 << 10;

/// The variable by which the processes of a test are found.
const TOKEN: &str = "HOSTILE_TOKEN";

/// Not a test: runs the plugin if this binary is started as one.
#[test]
fn plugin() {
    if let Ok(behavior) = std::env::var("HOSTILE") {
        hostile::run(&behavior);
    }
}

fn options() -> Options {
    let mut options = Options::default();
    options.targets = ["v0.11.0", "v0.12.5"].map(Target::nri).into();
    options.timeouts = Timeouts::default()
        .registration(Duration::from_secs(2))
        .request(Duration::from_millis(500));
    options.within = Duration::from_secs(30);
    options
}

/// Probes a plugin and checks what must hold for every plugin.
async fn bounded(test: &str, subject: impl FnOnce(String) -> Subject) -> Probed {
    adopt_orphans().expect("Linux 3.4 or later");
    let token = format!("{test}-{}", std::process::id());
    let start = Instant::now();
    let probed = probe(&subject(token.clone()), &options()).await.unwrap();
    assert!(start.elapsed() < BOUND, "{test}: {:?}", start.elapsed());
    assert_eq!(left(&token), Vec::<String>::new(), "{test}");
    assert!(peak_memory() < MEMORY, "{test}: {} KiB", peak_memory());
    probed
}

/// Probes this binary, started as a plugin.
async fn hostile(behavior: &str) -> Probed {
    bounded(behavior, |token| {
        Subject::external(
            Executable::new(std::env::current_exe().unwrap())
                .args(["--exact", "plugin", "--nocapture"])
                .env("HOSTILE", behavior)
                .env(TOKEN, token),
        )
    })
    .await
}

/// Probes a shell script, launched like by a runtime.
async fn script(test: &str, text: &str) -> Probed {
    let folder = tempfile::tempdir().unwrap();
    let path = executable(&folder, text);
    bounded(test, |token| {
        Subject::launched(Executable::new(path).env(TOKEN, token).env("PATH", "/usr/bin:/bin"))
    })
    .await
}

fn executable(folder: &TempDir, text: &str) -> PathBuf {
    let path = folder.path().join("10-script");
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    path
}

fn has(probed: &Probed, kind: TroubleKind, step: &str) -> bool {
    probed.troubles.iter().any(|trouble| trouble.kind == kind && trouble.step == step)
}

#[track_caller]
fn assert_trouble(probed: &Probed, kind: TroubleKind, step: &str) {
    assert!(has(probed, kind, step), "{:#?}", probed.troubles);
}

fn verdicts(probed: &Probed) -> Vec<Verdict> {
    probed.targets.iter().map(|target| target.verdict).collect()
}

#[tokio::test]
async fn the_test_plugin_is_well_behaved_by_default() {
    let probed = hostile("nothing").await;
    assert_eq!(probed.troubles, []);
    assert_eq!(verdicts(&probed), [Verdict::Works, Verdict::Works]);
    for rpc in &probed.rpcs {
        assert_ne!(rpc.answer, RpcAnswer::Silent, "{rpc:?}");
    }
}

#[tokio::test]
async fn a_plugin_that_dies_at_an_rpc_does_not_hide_others() {
    for rpc in
        ["Configure", "Synchronize", "RunPodSandbox", "CreateContainer", "StateChange", "Shutdown"]
    {
        let probed = hostile(&format!("die:{rpc}")).await;
        assert_trouble(&probed, TroubleKind::Died, rpc);
        let trouble = &probed.troubles[0];
        assert!(trouble.message.contains("exit code 7"), "{trouble:?}");
        assert!(trouble.last_lines.contains(&format!("dying at {rpc}")), "{trouble:?}");
        let is_event = !["Configure", "Synchronize"].contains(&rpc);
        for result in probed.rpcs.iter().filter(|_| is_event) {
            assert_eq!(result.answer == RpcAnswer::Silent, result.rpc == rpc, "{result:?}");
        }
    }
}

#[tokio::test]
async fn a_plugin_that_dies_at_every_rpc_is_not_started_for_each() {
    let probed = hostile("die:*").await;
    let silent = probed.rpcs.iter().filter(|rpc| rpc.answer == RpcAnswer::Silent);
    // Configure ends each instance, and nothing can be called then.
    assert_eq!(silent.count(), probed.rpcs.len());
    assert_eq!(verdicts(&probed), [Verdict::Dropped, Verdict::Dropped]);
}

#[tokio::test]
async fn a_plugin_that_hangs_at_a_step_does_not_hide_others() {
    for step in ["Configure", "Synchronize", "StopPodSandbox", "StateChange"] {
        let probed = hostile(&format!("hang:{step}")).await;
        assert_trouble(&probed, TroubleKind::Hung, step);
        for result in &probed.rpcs {
            assert_eq!(result.answer == RpcAnswer::Silent, result.rpc == step, "{result:?}");
        }
    }
}

#[tokio::test]
async fn a_plugin_that_hangs_everywhere_ends_in_time() {
    let probed = hostile("hang:*").await;
    assert_trouble(&probed, TroubleKind::Hung, "Configure");
    assert_eq!(verdicts(&probed), [Verdict::Dropped, Verdict::Dropped]);
}

#[tokio::test]
async fn a_plugin_that_never_registers_still_answers() {
    let probed = hostile("unregistered").await;
    assert_trouble(&probed, TroubleKind::Hung, "RegisterPlugin");
    assert_eq!(probed.rpc("RunPodSandbox").unwrap().answer, RpcAnswer::Implemented);
    assert_eq!(verdicts(&probed), [Verdict::Dropped, Verdict::Dropped]);
}

#[tokio::test]
async fn a_plugin_that_never_connects_is_not_waited_for() {
    let probed = hostile("unconnected").await;
    assert_trouble(&probed, TroubleKind::NotConnected, "connection");
}

#[tokio::test]
async fn only_unimplemented_leads_to_state_change() {
    for (code, answer, verdict) in [
        (2, RpcAnswer::Error, Verdict::Errors),
        (5, RpcAnswer::Error, Verdict::Errors),
        (99, RpcAnswer::Breaks, Verdict::Breaks),
        (12, RpcAnswer::Fallback, Verdict::Deprecated),
    ] {
        let probed = hostile(&format!("code {code}:RunPodSandbox")).await;
        assert_eq!(probed.rpc("RunPodSandbox").unwrap().answer, answer);
        assert_eq!(verdicts(&probed), [Verdict::Works, verdict]);
    }
}

/// Servers other than those of the stubs may answer so if they lack an RPC; runtimes do not fall
/// back for them.
#[tokio::test]
async fn a_code_that_denies_an_rpc_breaks() {
    for code in [3, 5] {
        let probed = hostile(&format!("denial {code}:RunPodSandbox")).await;
        let result = probed.rpc("RunPodSandbox").unwrap();
        assert_eq!(result.answer, RpcAnswer::Breaks, "{result:?}");
        assert_eq!(verdicts(&probed), [Verdict::Works, Verdict::Breaks]);
    }
}

/// Returns everything that the result says in words.
fn explanations(probed: Probed) -> Vec<String> {
    let rpcs = probed.rpcs.into_iter().map(|rpc| rpc.detail);
    let troubles =
        probed.troubles.into_iter().map(|trouble| format!("{}: {}", trouble.step, trouble.message));
    let targets = probed.targets.into_iter().flat_map(|target| {
        let events = target.events.into_iter().map(|event| event.detail);
        [target.reason].into_iter().chain(events)
    });
    rpcs.chain(troubles).chain(targets).collect()
}

#[tokio::test]
async fn an_explanation_does_not_depend_on_when_the_plugin_ends() {
    for step in ["Configure", "Synchronize", "RunPodSandbox", "StopContainer"] {
        let mut explained = Vec::new();
        for delay in [0, 50, 800] {
            let probed = hostile(&format!("refuse and end after {delay}:{step}")).await;
            assert_trouble(&probed, TroubleKind::Died, step);
            explained.push(explanations(probed));
        }
        explained.dedup();
        assert_eq!(explained.len(), 1, "{explained:#?}");
    }
}

#[tokio::test]
async fn a_garbage_answer_breaks() {
    let probed = hostile("garbage:CreateContainer").await;
    let result = probed.rpc("CreateContainer").unwrap();
    assert_eq!(result.answer, RpcAnswer::Breaks, "{result:?}");
    assert!(result.detail.contains("unreadable answer"), "{result:?}");
    assert_eq!(verdicts(&probed), [Verdict::Breaks, Verdict::Breaks]);
}

#[tokio::test]
async fn a_huge_length_breaks_the_protocol() {
    for claim in ["long frame:Configure", "long message:StopContainer"] {
        let probed = hostile(claim).await;
        let (_, step) = claim.split_once(':').unwrap();
        assert_trouble(&probed, TroubleKind::BrokeProtocol, step);
        assert!(probed.troubles[0].message.contains("bytes"), "{:?}", probed.troubles);
    }
}

#[tokio::test]
async fn a_plugin_that_closes_the_connection_is_not_called_dead() {
    let probed = hostile("close:StartContainer").await;
    assert_trouble(&probed, TroubleKind::Closed, "StartContainer");
    let target = &probed.targets[1];
    assert_eq!(target.events_that(EventOutcome::Silent), ["StartContainer"]);
    assert_eq!(target.verdict, Verdict::Breaks);
}

#[tokio::test]
async fn a_mask_that_the_target_does_not_know_is_refused() {
    let probed = hostile("mask 131071").await;
    assert_trouble(&probed, TroubleKind::Refused, "Configure");
    assert_eq!(verdicts(&probed), [Verdict::Dropped, Verdict::Dropped]);
    let reason = &probed.targets[1].reason;
    assert!(reason.starts_with("invalid plugin events: 0x1c000"), "{reason}");
}

#[tokio::test]
async fn an_invalid_name_is_refused_by_runtimes_that_check_names() {
    let invalid = hostile("name a b").await;
    assert_eq!(verdicts(&invalid), [Verdict::Works, Verdict::Dropped]);
    let long = hostile(&format!("name {}", "x".repeat(100_000))).await;
    assert!(long.subject.name.len() < 1000);
}

#[tokio::test]
async fn a_flood_of_requests_is_forgotten() {
    for flood in ["flood updates", "flood registrations", "flood unknown"] {
        let probed = hostile(flood).await;
        assert_eq!(probed.rpcs.len(), 19, "{flood}");
    }
}

#[tokio::test]
async fn a_plugin_that_prints_a_gigabyte_is_read_without_keeping_it() {
    let probed = hostile("print a gigabyte").await;
    assert_trouble(&probed, TroubleKind::Flooded, "connection");
    for trouble in &probed.troubles {
        let bytes: usize = trouble.last_lines.iter().map(String::len).sum();
        assert!(bytes < 10_000);
    }
}

#[tokio::test]
async fn sigterm_may_be_ignored() {
    let probed = script("sigterm", "trap '' TERM INT HUP; while :; do sleep 1; done").await;
    assert_eq!(verdicts(&probed), [Verdict::Dropped, Verdict::Dropped]);
}

#[tokio::test]
async fn all_descendants_are_ended() {
    let forks = r#"
        sleep 7001 &
        setsid sleep 7002 &
        (setsid sh -c 'sleep 7003 & exit' &)
        env -i setsid sh -c 'trap "" TERM; while :; do sleep 1; done' $HOSTILE_TOKEN &
        (env -i setsid sh -c 'sh -c "while :; do sleep 1; done" $0 & exit' $HOSTILE_TOKEN &)
        for n in 1 2 3 4 5 6 7 8 9; do (while :; do sleep 0.01 & done) & done
        sleep 0.2; kill $!; exit 3"#;
    let probed = script("forks", forks).await;
    assert_trouble(&probed, TroubleKind::Died, "RegisterPlugin");
}

#[tokio::test]
async fn a_socket_may_be_deleted() {
    let probed = hostile("delete the socket").await;
    assert_eq!(verdicts(&probed), [Verdict::Works, Verdict::Works]);
}

#[tokio::test]
async fn a_printed_error_is_shown() {
    let probed = hostile("print an error").await;
    assert_trouble(&probed, TroubleKind::PrintedError, "connection");
    let lines = &probed.troubles[0].last_lines;
    assert!(lines[0].contains("level=error"), "{lines:?}");
    let died = script("exit", "echo 'Error: cannot read /etc/config' >&2; exit 2").await;
    assert_trouble(&died, TroubleKind::Died, "RegisterPlugin");
    assert_eq!(died.troubles[0].last_lines, ["Error: cannot read /etc/config"]);
}

#[tokio::test]
async fn the_environment_is_cleared_and_the_folder_temporary() {
    let probed = script("environment", "env; pwd; exit 1").await;
    let lines = probed.troubles[0].last_lines.join("\n");
    assert!(
        lines.contains("NRI_PLUGIN_IDX=10") && lines.contains("NRI_PLUGIN_SOCKET=3"),
        "{lines}"
    );
    assert!(!lines.contains("CARGO"), "{lines}");
    let folder = std::env::temp_dir();
    assert!(lines.contains(&*folder.to_string_lossy()), "{lines}");
}
