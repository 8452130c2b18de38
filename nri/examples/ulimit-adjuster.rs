//! Sets the resource limits (ulimits) that annotations of the pod request for a container:
//!
//! ```yaml
//! annotations:
//!   ulimits.noderesource.dev/container.main: |
//!     - type: RLIMIT_NOFILE
//!       soft: 1024
//!       hard: 4096
//! ```
//!
//! The type may be in lower case and without `RLIMIT_`; a limit that is left out is 0. The older
//! key `ulimits.nri.containerd.io/container.NAME` applies if the newer one is absent.

use nri::api::PosixRlimit;
use nri::prelude::*;
use serde::Deserialize;
use tracing::info;

const ABOUT: &str = "An NRI plugin that sets the ulimits that annotations request.";

/// The prefixes of the annotation, newest first.
const KEYS: [&str; 2] = ["ulimits.noderesource.dev", "ulimits.nri.containerd.io"];

/// The limits of Linux, see setrlimit(2), without `RLIMIT_`.
const LIMITS: [&str; 16] = [
    "AS",
    "CORE",
    "CPU",
    "DATA",
    "FSIZE",
    "LOCKS",
    "MEMLOCK",
    "MSGQUEUE",
    "NICE",
    "NOFILE",
    "NPROC",
    "RSS",
    "RTPRIO",
    "RTTIME",
    "SIGPENDING",
    "STACK",
];

struct UlimitAdjuster;

/// A limit as written.
#[derive(Deserialize)]
struct Ulimit {
    r#type: String,
    #[serde(default)]
    hard: u64,
    #[serde(default)]
    soft: u64,
}

impl Ulimit {
    fn into_nri(self) -> Result<PosixRlimit, String> {
        let name = self.r#type.to_ascii_uppercase();
        let name = name.strip_prefix("RLIMIT_").unwrap_or(&name);
        if !LIMITS.contains(&name) {
            return Err(format!("{:?} is not a resource limit", self.r#type));
        }
        if self.hard < self.soft {
            return Err(format!("the soft limit of {name} exceeds the hard limit"));
        }
        let limit = PosixRlimit::new(format!("RLIMIT_{name}"));
        Ok(limit.soft(self.soft).hard(self.hard))
    }
}

#[nri::plugin(name = "ulimit-adjuster", index = "10")]
impl UlimitAdjuster {
    async fn create_container(
        &self,
        pod: PodSandbox,
        container: Container,
    ) -> nri::Result<Adjustment> {
        let mut adjustment = Adjustment::new();
        let keys = KEYS.map(|key| format!("{key}/container.{}", container.name));
        let Some(annotation) = pod.find_annotation(keys) else {
            return Ok(adjustment);
        };
        // An empty annotation is an empty list.
        let ulimits: Option<Vec<Ulimit>> = annotation.parse(serde_yaml_ng::from_str)?;
        for ulimit in ulimits.unwrap_or_default() {
            let limit = ulimit.into_nri().map_err(|error| annotation.invalid(error))?;
            let name = container.full_name(&pod);
            info!("{name}: {} {}:{}", limit.r#type, limit.soft, limit.hard);
            adjustment = adjustment.rlimit(limit);
        }
        Ok(adjustment)
    }
}

fn main() -> nri::Result<()> {
    nri::cli::run(ABOUT, UlimitAdjuster)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nri_testing::{self as testing, EventError, pod};

    async fn limits(key: &str, value: &str) -> Result<Vec<PosixRlimit>, EventError> {
        let mut runtime = testing::Runtime::new().start(UlimitAdjuster).await.unwrap();
        let app = pod("web").annotation(key, value).container("app");
        let created = runtime.create_in_pod(app).await?;
        Ok(created.adjustment.rlimits)
    }

    const KEY: &str = "ulimits.noderesource.dev/container.app";

    #[tokio::test]
    async fn limits_may_be_named_in_several_ways() {
        let value = "[{type: nofile, soft: 1024, hard: 4096}, {type: RLIMIT_CORE}, {type: rlimit_as, hard: 1}]";
        let nofile = PosixRlimit::new("RLIMIT_NOFILE").soft(1024).hard(4096);
        let core = PosixRlimit::new("RLIMIT_CORE").soft(0).hard(0);
        let memory = PosixRlimit::new("RLIMIT_AS").soft(0).hard(1);
        assert_eq!(limits(KEY, value).await.unwrap(), [nofile, core, memory]);
    }

    #[tokio::test]
    async fn the_older_key_is_read_and_others_are_not() {
        let value = "[{type: nofile, soft: 1, hard: 1}]";
        let old = "ulimits.nri.containerd.io/container.app";
        assert_eq!(limits(old, value).await.unwrap().len(), 1);
        for key in [
            "ulimits.noderesource.dev/container.side",
            "ulimits.noderesource.dev/pod",
            "ulimits.noderesource.dev",
        ] {
            assert!(limits(key, value).await.unwrap().is_empty(), "{key}");
        }
        assert!(limits(KEY, "").await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn mistakes_fail_the_container() {
        for (value, reason) in [
            ("[{type: tofile}]", "\"tofile\" is not a resource limit"),
            ("[{type: nofile, soft: 2, hard: 1}]", "exceeds"),
            ("[{type: nofile, soft: -1}]", "expected u64"),
            ("nofile", "expected a sequence"),
        ] {
            let error = limits(KEY, value).await.unwrap_err();
            assert!(error.fails_request());
            let message = error.to_string();
            assert!(message.contains(KEY) && message.contains(reason), "{message}");
        }
    }
}
