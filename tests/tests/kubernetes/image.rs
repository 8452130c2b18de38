//! The image of the command, run by containerd alone.

use nri_tests::containerd::{ctr, start};
use nri_tests::examples::nri_compat;
use nri_tests::kubernetes::{CONTAINERD, Image};

#[test]
fn containerd_runs_the_image() {
    let containerd = start(CONTAINERD, &[]);
    let archive = containerd.folder().join("nri-compat.tar");
    Image::of_release("localhost/nri-compat:0.1.0", &nri_compat()).pack(&archive);
    let archive = archive.to_str().expect("path is text");
    let snapshotter = ["--snapshotter", "native"];
    let import = ["images", "import", "--local", archive];
    let _ = ctr(&containerd, &[&import[..], &snapshotter].concat());
    // The archive has its name.
    let name = ctr(&containerd, &["images", "list", "--quiet"]);
    let diff = ["nri-compat", "diff", "v0.11.0", "v0.12.0"];
    let command = [&[name.trim(), "diff"], &diff[..]].concat();
    let output = ctr(&containerd, &[&["run", "--rm"], &snapshotter[..], &command].concat());
    assert!(output.contains("0 errors, 11 warnings"), "{output}");
}
