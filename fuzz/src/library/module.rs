//! A hostile WebAssembly module never stops the adaptation: whatever its code, loading and requests
//! end in time.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use nri::api::PodSandbox;
use nri_adaptation::Adaptation;

/// The time that loading and a request may take.
const LIMIT: Duration = Duration::from_millis(50);

/// Runs the target once.
pub(crate) fn run(bytes: &[u8]) {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("runtime");
    runtime.block_on(relay(bytes));
}

/// Replaces the hook that ends the fuzzer at every panic: the engine fails assertions on some
/// invalid code, and the adaptation catches that.
pub(crate) fn continue_after_engine_panics() {
    let end = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let file = panic.location().map_or("", |location| location.file());
        if !file.contains("/wasmi-") {
            end(panic);
        }
    }));
}

async fn relay(bytes: &[u8]) {
    let folder = std::env::temp_dir().join(format!("nri-fuzz-module-{}", std::process::id()));
    install(&folder, bytes).expect("temporary folder is writable");
    let start = Instant::now();
    let adaptation = Adaptation::builder("fuzz", "v1")
        .plugin_dir(&folder)
        .config_dir(&folder)
        .registration_timeout(LIMIT)
        .request_timeout(LIMIT)
        .module_memory(4 << 20)
        .start()
        .await
        .expect("starts");
    let pod = PodSandbox::default();
    // Errors of plugins are fine.
    let _ = adaptation.run_pod_sandbox(&pod).await;
    let _ = adaptation.stop_pod_sandbox(&pod).await;
    adaptation.stop().await;
    assert!(start.elapsed() < Duration::from_secs(20));
}

fn install(folder: &Path, bytes: &[u8]) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    let file = folder.join("10-hostile");
    // The magic number and the version, so that the fuzzer need not find them.
    fs::write(&file, [b"\0asm\x01\0\0\0", bytes].concat())?;
    fs::set_permissions(&file, Permissions::from_mode(0o755))
}
