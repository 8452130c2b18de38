//! Adds OCI hooks to containers, as CRI-O and Podman do: the hooks, and the conditions under which
//! a container gets them, are files in `/usr/share/containers/oci/hooks.d` and
//! `/etc/containers/oci/hooks.d`, described by oci-hooks(5).
//!
//! ```json
//! {
//!   "version": "1.0.0",
//!   "hook": {"path": "/usr/local/sbin/demo-hook.sh"},
//!   "when": {"annotations": {"^example\\.com/demo$": "^yes$"}},
//!   "stages": ["prestart", "poststop"]
//! }
//! ```
//!
//! A file in a later folder replaces one of the same name in an earlier folder. The folders are
//! read for each container, so that changes apply at once. A file that cannot be read keeps the
//! plugin from starting; later, it is logged, and containers do not get its hook.

mod condition;
mod files;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use condition::Subject;
use files::HookFile;
use nri::api::Hooks;
use nri::cli::Cli;
use nri::prelude::*;
use tracing::{debug, info, warn};

const ABOUT: &str = "An NRI plugin that adds OCI hooks, configured as those of CRI-O and Podman.";

const HELP: &str = concat!(
    "      --hooks DIR     read hooks in this folder; may be given several times, later ones take precedence\n",
    "                      [default: /usr/share/containers/oci/hooks.d and /etc/containers/oci/hooks.d]\n",
    "      --disable-watch read the folders only once, at the start\n",
);

const FOLDERS: [&str; 2] = ["/usr/share/containers/oci/hooks.d", "/etc/containers/oci/hooks.d"];

struct HookInjector {
    folders: Vec<PathBuf>,
    /// The hooks, unless the folders are read for each container.
    fixed: Option<Vec<HookFile>>,
}

impl HookInjector {
    /// Returns the plugin with the hooks of these folders.
    fn new(folders: Vec<PathBuf>, watch: bool) -> nri::Result<Self> {
        let files: nri::Result<Vec<_>> = files::read(&folders)?.into_iter().collect();
        let fixed = (!watch).then_some(files?);
        Ok(HookInjector { folders, fixed })
    }

    /// Returns the hooks for a container.
    fn hooks(&self, subject: &Subject<'_>) -> nri::Result<Hooks> {
        if let Some(files) = &self.fixed {
            return matching(files, subject);
        }
        let mut current = Vec::new();
        for file in files::read(&self.folders)? {
            match file {
                Ok(file) => current.push(file),
                Err(error) => warn!("{error}"),
            }
        }
        matching(&current, subject)
    }
}

/// Returns the hooks of those files whose conditions a container meets.
fn matching(files: &[HookFile], subject: &Subject<'_>) -> nri::Result<Hooks> {
    let mut hooks = Hooks::default();
    for file in files {
        if file.when.matches(subject)? {
            debug!("{} applies", file.name);
            for stage in &file.stages {
                hooks = hooks.with(*stage, file.hook.clone());
            }
        }
    }
    Ok(hooks)
}

#[nri::plugin(name = "hook-injector", index = "10")]
impl HookInjector {
    async fn create_container(
        &self,
        pod: PodSandbox,
        container: Container,
    ) -> nri::Result<Adjustment> {
        let hooks = self.hooks(&Subject::new(&pod, &container))?;
        let count = hooks.iter().count();
        if count == 0 {
            return Ok(Adjustment::new());
        }
        info!("{}: {count} hooks", container.full_name(&pod));
        Ok(Adjustment::new().hooks(hooks))
    }
}

fn main() -> nri::Result<()> {
    let (mut folders, mut watch) = (Vec::new(), true);
    let own = |name: &str, parser: &mut lexopt::Parser| {
        match name {
            "hooks" => folders.push(PathBuf::from(parser.value()?)),
            "disable-watch" => watch = false,
            _ => return Ok(false),
        }
        Ok(true)
    };
    let Some(flags) = Cli::new(ABOUT).with_help(HELP).parse_with(own)? else {
        return Ok(());
    };
    if folders.is_empty() {
        folders = FOLDERS.map(PathBuf::from).to_vec();
    }
    nri::block_on(flags.run(HookInjector::new(folders, watch)?))
}
