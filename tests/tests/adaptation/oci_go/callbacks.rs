//! The callbacks of the runtime. The peer has the same.

use nri_adaptation::oci::Generator;
use nri_adaptation::oci::runtime::{LinuxBlockIo, LinuxIntelRdt};

pub(crate) fn set(generator: Generator<'_>) -> Generator<'_> {
    generator
        .with_annotation_filter(|annotations| {
            if annotations.get("/name/1").is_some_and(|value| value.ends_with('9')) {
                return Err("refused annotation".into());
            }
            annotations.remove("-/name/2");
            annotations.insert("filtered".to_owned(), "yes".to_owned());
            Ok(())
        })
        .with_cdi(|spec, names| {
            if names.len() == 3 {
                return Err("refused CDI device".into());
            }
            let process = spec.process().as_ref();
            let args = process.and_then(|process| process.args().as_ref()).map_or(0, Vec::len);
            let linux = spec.linux().as_ref();
            let cgroup = linux
                .and_then(|linux| linux.cgroups_path().as_ref())
                .map(|path| path.display().to_string());
            let annotations = spec.annotations_mut().get_or_insert_default();
            annotations.insert("cdi".to_owned(), names.join(" "));
            annotations.insert("args".to_owned(), args.to_string());
            annotations.insert("cgroup".to_owned(), cgroup.unwrap_or_default());
            Ok(())
        })
        .with_block_io(|class| {
            if class.ends_with('7') {
                return Err("refused class".into());
            }
            let mut settings = LinuxBlockIo::default();
            settings.set_weight(Some(u16::try_from(class.len())?));
            Ok(settings)
        })
        .with_rdt(|class| {
            if class.ends_with('7') {
                return Err("refused class".into());
            }
            let mut settings = LinuxIntelRdt::default();
            settings.set_clos_id(Some(class.to_owned()));
            Ok(settings)
        })
        .with_resource_check(|resources| {
            if resources.hugepage_limits().as_ref().map_or(0, Vec::len) == 4 {
                return Err("refused resources".into());
            }
            resources.set_hugepage_limits(None);
            Ok(())
        })
}
