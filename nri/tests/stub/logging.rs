//! The logs of a program that has installed no subscriber, for each way to run a plugin.
//!
//! Each test starts its own executable again, and is the plugin there.

use std::env;
use std::process::{Command, Stdio};

use nri::prelude::*;
use nri::stub::Stub;

/// Set in the environment of the plugins: the way to run.
const WAY: &str = "STUB_TEST_WAY";

/// A plugin that causes a warning before it connects.
#[derive(NriPlugin)]
#[nri(name = "warned", index = "10")]
#[allow(deprecated)]
struct Warned;

#[allow(deprecated)]
impl StateChange for Warned {
    async fn state_change(
        &self,
        _: &EventContext,
        _: Event,
        _: PodSandbox,
        _: Option<Container>,
    ) -> nri::Result<()> {
        Ok(())
    }
}

/// Runs the plugin if this process was started by [`stderr`], and returns true then. There is no
/// runtime to connect to.
async fn is_plugin() -> bool {
    let Ok(way) = env::var(WAY) else {
        return false;
    };
    let builder = || Stub::builder(Warned);
    let ended = match &*way {
        "own subscriber" => {
            let to_stderr = tracing_subscriber::fmt().with_writer(std::io::stderr);
            to_stderr.without_time().with_target(false).init();
            nri::stub::run(Warned).await
        }
        "configured" => {
            let target = nri::logging::Target::Stderr;
            nri::logging::init(tracing::Level::ERROR, target).unwrap();
            nri::stub::run(Warned).await
        }
        "configured again" => {
            use nri::logging::{Target, init};
            init(tracing::Level::ERROR, Target::Stderr).unwrap();
            init(tracing::Level::WARN, Target::Stderr).unwrap();
            nri::stub::run(Warned).await
        }
        "run" => nri::stub::run(Warned).await,
        "builder" => builder().run().await,
        "stub" => builder().build().unwrap().run().await,
        "until" => {
            let stub = builder().build().unwrap();
            stub.run_until(std::future::pending()).await
        }
        "no logging" => builder().no_logging().run().await,
        other => panic!("{other}"),
    };
    assert!(ended.is_err(), "there is no runtime");
    true
}

fn plugin(test: &str, way: &str, rust_log: Option<&str>) -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", &format!("logging::{test}"), "--nocapture"]);
    command
        .env_remove("NRI_PLUGIN_SOCKET")
        .env_remove("RUST_LOG")
        .env("NRI_SOCKET", "/nonexistent/nri.sock")
        .env(WAY, way)
        .stdout(Stdio::null());
    if let Some(directives) = rust_log {
        command.env("RUST_LOG", directives);
    }
    command
}

/// Returns what the plugin of a test writes to standard error.
fn stderr(test: &str, way: &str, rust_log: Option<&str>) -> String {
    let output = plugin(test, way, rust_log).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{stderr}");
    stderr
}

const WARNING: &str = " WARN the plugin handles StateChange, which is deprecated";

#[tokio::test]
async fn each_way_to_run_logs() {
    if is_plugin().await {
        return;
    }
    let test = "each_way_to_run_logs";
    for way in ["run", "builder", "stub", "until", "configured again"] {
        let logged = stderr(test, way, None);
        assert!(logged.contains(WARNING), "{way}: {logged}");
    }
}

#[tokio::test]
async fn the_environment_sets_the_level() {
    if is_plugin().await {
        return;
    }
    let test = "the_environment_sets_the_level";
    for (rust_log, logged) in [("error", false), ("warn", true), ("off", false)] {
        let written = stderr(test, "builder", Some(rust_log));
        assert_eq!(written.contains(WARNING), logged, "{rust_log}: {written}");
    }
    let written = stderr(test, "builder", Some("loud"));
    assert!(written.contains(r#"RUST_LOG is not a level: "loud""#), "{written}");
}

#[tokio::test]
async fn what_the_program_has_set_up_is_left_alone() {
    if is_plugin().await {
        return;
    }
    let test = "what_the_program_has_set_up_is_left_alone";
    let own = stderr(test, "own subscriber", None);
    assert!(own.starts_with(WARNING), "{own}");
    assert_eq!(own.matches(WARNING).count(), 1, "{own}");
    for way in ["configured", "no logging"] {
        assert_eq!(stderr(test, way, Some("trace")), "", "{way}");
    }
}
