//! Lets containers manage cgroups below their own: mounts `/sys/fs/cgroup` writable if an
//! annotation of the pod asks for it.
//!
//! ```yaml
//! annotations:
//!   cgroups.noderesource.dev/writable: "true"
//!   cgroups.noderesource.dev/writable.container.side: "false"
//! ```
//!
//! This is safe only where the host mounts cgroup v2 with the option `nsdelegate`: the kernel then
//! keeps a container from changing its own limits. On any other host, the plugin logs a warning and
//! changes nothing.

use std::fs;
use std::path::Path;

use lexopt::ValueExt;
use nri::api::Mount;
use nri::cli::Cli;
use nri::prelude::*;
use tracing::{debug, info, warn};

const ABOUT: &str = "An NRI plugin that makes cgroups writable for containers that ask for it.";

const HELP: &str = concat!(
    "      --host-mount-file FILE  the mounts of the host's first process\n",
    "                      [default: /host/proc/1/mountinfo]\n",
);

const ANNOTATION: &str = "cgroups.noderesource.dev/writable";

const CGROUPS: &str = "/sys/fs/cgroup";

struct WritableCgroups {
    /// Whether the host mounts cgroup v2 with `nsdelegate`.
    delegated: bool,
}

/// Returns true if the annotations ask for writable cgroups in this container.
fn is_requested(pod: &PodSandbox, container: &Container) -> bool {
    let own = pod.annotation(&format!("{ANNOTATION}.container.{}", container.name));
    own.or_else(|| pod.annotation(ANNOTATION)) == Some("true")
}

/// Returns the mount with write access, or `None` if it is writable already.
fn writable(mount: &Mount) -> Option<Mount> {
    let is = |name: &str| mount.options.iter().any(|option| option == name);
    if is("rw") && !is("ro") {
        return None;
    }
    let mut mount = mount.clone();
    mount.options.retain(|option| option != "ro" && option != "rw");
    mount.options.push("rw".to_owned());
    Some(mount)
}

#[nri::plugin(name = "writable-cgroups", index = "10")]
impl WritableCgroups {
    async fn create_container(
        &self,
        pod: PodSandbox,
        container: Container,
    ) -> nri::Result<Adjustment> {
        let (adjustment, name) = (Adjustment::new(), container.full_name(&pod));
        if !is_requested(&pod, &container) {
            return Ok(adjustment);
        }
        if !self.delegated {
            warn!(
                "{name}: cgroups stay read-only because the host lacks the mount option nsdelegate"
            );
            return Ok(adjustment);
        }
        let Some(mount) = container.mounts.iter().rev().find(|it| it.destination == CGROUPS) else {
            return Err(nri::Error::new(format!("{name} has no mount at {CGROUPS}")));
        };
        let Some(mount) = writable(mount) else {
            debug!("{name}: cgroups are writable already");
            return Ok(adjustment);
        };
        info!("{name}: cgroups are writable");
        Ok(adjustment.replace_mount(mount))
    }
}

/// Returns true if these mounts, as in proc_pid_mountinfo(5), have cgroup v2 with `nsdelegate`.
fn has_nsdelegate(mountinfo: &str) -> bool {
    let options = mountinfo.lines().find_map(|line| {
        let (mount, filesystem) = line.split_once(" - ")?;
        let point = mount.split(' ').nth(4)?;
        let mut fields = filesystem.split(' ');
        let is_cgroup2 = fields.next() == Some("cgroup2");
        let is_root = point == CGROUPS || point == "/sys/fs/cgroup/unified";
        (is_cgroup2 && is_root).then(|| fields.nth(1))?
    });
    options.is_some_and(|options| options.split(',').any(|option| option == "nsdelegate"))
}

/// Reads the mounts of the host. Says in the log why cgroups stay as they are.
fn is_delegated(file: &Path) -> bool {
    match fs::read_to_string(file) {
        Ok(mounts) if has_nsdelegate(&mounts) => true,
        Ok(_) => {
            warn!("the host does not mount cgroup v2 with nsdelegate: no cgroup becomes writable");
            false
        }
        Err(error) => {
            warn!("cannot read {}: {error}: no cgroup becomes writable", file.display());
            false
        }
    }
}

fn main() -> nri::Result<()> {
    let mut file = "/host/proc/1/mountinfo".to_owned();
    let own = |name: &str, parser: &mut lexopt::Parser| {
        let is_file = name == "host-mount-file";
        if is_file {
            file = parser.value()?.string()?;
        }
        Ok(is_file)
    };
    let Some(flags) = Cli::new(ABOUT).with_help(HELP).parse_with(own)? else {
        return Ok(());
    };
    flags.log();
    let delegated = is_delegated(Path::new(&file));
    nri::block_on(flags.run(WritableCgroups { delegated }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nri_testing::{self as testing, ContainerFixture, EventError, PodFixture, pod};

    fn app(pod: PodFixture) -> ContainerFixture {
        let mount = Mount::new("cgroup", "cgroup", CGROUPS);
        let options = ["nosuid", "ro", "noexec"].into_iter();
        pod.container("app").mount(options.fold(mount, Mount::option))
    }

    /// Returns the options of the mount that the plugin changes; none if it changes nothing.
    async fn options(delegated: bool, app: ContainerFixture) -> Result<Vec<String>, EventError> {
        let plugin = WritableCgroups { delegated };
        let mut runtime = testing::Runtime::new().start(plugin).await.unwrap();
        let created = runtime.create_in_pod(app).await?;
        let changed =
            created.adjustment.mounts.into_iter().find(|mount| mount.destination == CGROUPS);
        Ok(changed.map(|mount| mount.options).unwrap_or_default())
    }

    #[tokio::test]
    async fn annotations_make_cgroups_writable() {
        let own = format!("{ANNOTATION}.container.app");
        for (annotations, is_writable) in [
            (vec![(ANNOTATION, "true")], true),
            (vec![(own.as_str(), "true")], true),
            (vec![(ANNOTATION, "true"), (&own, "false")], false),
            (vec![(ANNOTATION, "yes")], false),
            (vec![], false),
        ] {
            let web = annotations
                .iter()
                .fold(pod("web"), |web, (key, value)| web.annotation(*key, *value));
            let changed = options(true, app(web)).await.unwrap();
            let expected: &[&str] = if is_writable { &["nosuid", "noexec", "rw"] } else { &[] };
            assert_eq!(changed, expected, "{annotations:?}");
        }
    }

    #[tokio::test]
    async fn nothing_changes_without_nsdelegate() {
        let web = pod("web").annotation(ANNOTATION, "true");
        assert!(options(false, app(web)).await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn a_container_without_cgroups_fails() {
        let web = pod("web").annotation(ANNOTATION, "true");
        let error = options(true, web.container("app")).await.unwrap_err();
        assert!(error.to_string().contains("default/web/app has no mount"), "{error}");
    }

    #[test]
    fn mounts_of_the_host_tell_whether_cgroups_are_delegated() {
        let root = "24 1 0:22 / / rw - ext4 /dev/vda rw,nsdelegate\n";
        let v1 = "30 24 0:27 / /sys/fs/cgroup ro - tmpfs tmpfs ro,nsdelegate\n";
        let v2 = "30 24 0:27 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot\n";
        let hybrid = "31 24 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup rw,nsdelegate\n";
        let other = "32 24 0:29 / /mnt rw - cgroup2 cgroup2 rw,nsdelegate\n";
        assert!(has_nsdelegate(&format!("{root}{v2}")));
        assert!(has_nsdelegate(&format!("{root}{v1}{hybrid}")));
        assert!(!has_nsdelegate(&format!("{root}{v1}{other}")));
        assert!(!has_nsdelegate(&v2.replace("nsdelegate,", "")));
        assert!(!has_nsdelegate(""));
    }
}
