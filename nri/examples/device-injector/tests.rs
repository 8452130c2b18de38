use nri::api::{IoPrioClass, LinuxDevice, LinuxIoPriority, Mount};
use nri_testing::{self as testing, Created, EventError, PodFixture, pod};

use super::*;

/// Creates the container `app` of a pod with these annotations.
async fn create(annotations: &[(&str, &str)]) -> Result<Created, EventError> {
    let mut runtime = testing::Runtime::new().start(DeviceInjector).await.unwrap();
    let add = |web: PodFixture, (key, value): &(&str, &str)| web.annotation(*key, *value);
    let web = annotations.iter().fold(pod("web"), add);
    runtime.create_in_pod(web.container("app")).await
}

/// Returns the path of the device that the container gets, if it gets one.
async fn device(annotations: &[(&str, &str)]) -> Option<String> {
    let created = create(annotations).await.unwrap();
    let devices = created.adjustment.linux.unwrap_or_default().devices;
    devices.into_iter().next().map(|device| device.path)
}

#[tokio::test]
async fn annotations_inject_all_that_they_request() {
    let created = create(&[
        (
            "devices.noderesource.dev/container.app",
            "[{path: /dev/fuse, type: c, major: 10, minor: 229, file_mode: 0666, uid: 5, gid: 6, comment: x},
              {path: /dev/loop9, type: b, major: 7, minor: 9, file_mode: 0}]",
        ),
        (
            "mounts.noderesource.dev",
            "[{source: /srv, destination: /data, type: bind, options: [rbind, ro]}]",
        ),
        ("cdi-devices.noderesource.dev/pod", "[example.com/gpu=0]"),
        (
            "io-priority.noderesource.dev/pod",
            "{class: IOPRIO_CLASS_BE, priority: 4}",
        ),
    ]);
    let adjustment = created.await.unwrap().adjustment;
    let linux = adjustment.linux.unwrap();
    let fuse = LinuxDevice::char("/dev/fuse", 10, 229);
    let disk = LinuxDevice::block("/dev/loop9", 7, 9);
    assert_eq!(linux.devices, [fuse.mode(0o666).owner(5, 6), disk]);
    let priority = LinuxIoPriority::new(IoPrioClass::IoprioClassBe, 4);
    assert_eq!(linux.io_priority, Some(priority));
    assert_eq!(adjustment.mounts, [Mount::bind("/srv", "/data").read_only()]);
    assert_eq!(adjustment.cdi_devices[0].name, "example.com/gpu=0");
}

#[tokio::test]
async fn the_most_specific_annotation_applies() {
    let keys = [
        "devices.noderesource.dev/container.app",
        "devices.nri.io/container.app",
        "devices.noderesource.dev/pod",
        "devices.nri.io/pod",
        "devices.noderesource.dev",
        "devices.nri.io",
    ];
    let values = keys.map(|key| format!("[{{path: '{key}', type: c}}]"));
    let annotations: Vec<_> = keys.into_iter().zip(values.iter().map(String::as_str)).collect();
    for first in 0..keys.len() {
        assert_eq!(device(&annotations[first..]).await.unwrap(), keys[first]);
    }
    let other = ("devices.noderesource.dev/container.side", "[{path: /dev/a, type: c}]");
    assert_eq!(device(&[other]).await, None);
    assert_eq!(device(&[("devices.noderesource.dev", "")]).await, None);
}

#[tokio::test]
async fn an_annotation_that_cannot_be_read_fails_the_container() {
    for (key, value, reason) in [
        ("devices.noderesource.dev", "[{type: c}]", "missing field `path`"),
        ("devices.nri.io/pod", "[{path: /dev/a, type: c, file_mode: rw}]", "file_mode \"rw\""),
        ("mounts.noderesource.dev", "/srv", "expected a sequence"),
        ("io-priority.noderesource.dev", "{class: BEST}", "unknown class \"BEST\""),
    ] {
        let error = create(&[(key, value)]).await.unwrap_err();
        assert!(error.fails_request());
        let message = error.to_string();
        assert!(message.contains(reason), "{message}");
    }
}
