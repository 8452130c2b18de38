//! The mutants: what a proxy breaks, and the statement that fails.

/// A defect of a runtime.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mutant {
    pub(crate) name: &'static str,
    /// The method of the request that is tampered with, once for each plugin.
    pub(crate) method: &'static str,
    pub(crate) act: Act,
    /// The number of the pod, from 0.
    pub(crate) pod: usize,
    /// The statement that fails.
    pub(crate) breaks: &'static str,
    /// True if a recording shows it without the requests to the runtime.
    pub(crate) recorded: bool,
}

/// A way to tamper with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// Sends it twice.
    Double,
    /// Sends it again after its answer was returned.
    DoubleLater,
    /// Does not send it.
    Drop,
    /// Sends it after the next request of another method.
    HoldUntil(&'static str),
    /// Sends it before a request of another method, and not when it arrives.
    Before(&'static str),
    /// Changes the id of its pod.
    OtherPod,
}

const fn mutant(
    name: &'static str,
    method: &'static str,
    act: Act,
    pod: usize,
    breaks: &'static str,
) -> Mutant {
    Mutant { name, method, act, pod, breaks, recorded: true }
}

/// A mutant that needs the requests to the runtime to be found.
const fn unrecorded(mutant: Mutant) -> Mutant {
    Mutant { recorded: false, ..mutant }
}

/// Every mutant, with the statement that fails.
pub(crate) const MUTANTS: &[Mutant] = &[
    mutant("runs-twice", RUN, Act::Double, 0, "O4"),
    mutant("second-pod-runs-twice", RUN, Act::Double, 1, "O4"),
    mutant("run-is-lost", RUN, Act::Drop, 0, "O1"),
    mutant("run-after-create", RUN, Act::HoldUntil(CREATE), 1, "O1"),
    mutant("stop-is-lost", STOP_POD, Act::Drop, 1, "O4"),
    mutant("stop-after-removal", STOP_POD, Act::HoldUntil(REMOVE_POD), 1, "O4"),
    mutant("stop-of-another-pod", STOP_POD, Act::OtherPod, 1, "O4"),
    mutant("removes-twice", REMOVE_POD, Act::Double, 0, "O4"),
    mutant("removes-again-later", REMOVE_POD, Act::DoubleLater, 0, "O4"),
    mutant("second-pod-removed-again-later", REMOVE_POD, Act::DoubleLater, 1, "O4"),
    unrecorded(mutant("removal-is-lost", REMOVE_POD, Act::Drop, 0, "O3")),
    mutant("container-removed-after-pod", REMOVE, Act::HoldUntil(REMOVE_POD), 0, "O8"),
    mutant("create-is-lost", CREATE, Act::Drop, 0, "C1"),
    mutant("creates-twice", CREATE, Act::Double, 1, "C1"),
    mutant("start-is-lost", START, Act::Drop, 0, "C1"),
    mutant("start-of-another-pod", START, Act::OtherPod, 0, "C1"),
    mutant("stop-after-remove", STOP, Act::HoldUntil(REMOVE), 0, "C1"),
    mutant("container-stop-is-lost", STOP, Act::Drop, 1, "C1"),
    mutant("removes-container-twice", REMOVE, Act::Double, 0, "C1"),
    mutant("post-create-twice", POST_CREATE, Act::Double, 0, "C5"),
    mutant("post-create-before-create", POST_CREATE, Act::Before(CREATE), 0, "C5"),
    mutant("post-create-is-lost", POST_CREATE, Act::Drop, 1, "C5"),
    mutant("post-create-after-start", POST_CREATE, Act::HoldUntil(START), 0, "C5"),
    mutant("post-start-before-start", POST_START, Act::Before(START), 0, "C5"),
    mutant("post-start-again-later", POST_START, Act::DoubleLater, 1, "C5"),
    unrecorded(mutant("post-start-is-lost", POST_START, Act::Drop, 1, "C5")),
    mutant("post-start-after-stop", POST_START, Act::HoldUntil(STOP), 0, "C5"),
    mutant("post-start-after-removal", POST_START, Act::HoldUntil(REMOVE), 1, "C5"),
    mutant("post-update-twice", POST_UPDATE, Act::Double, 0, "C5"),
    mutant("post-update-before-update", POST_UPDATE, Act::Before(UPDATE), 0, "C5"),
    mutant("update-is-lost", UPDATE, Act::Drop, 0, "C5"),
    unrecorded(mutant("post-update-is-lost", POST_UPDATE, Act::Drop, 0, "C5")),
    mutant("synchronizes-twice", SYNCHRONIZE, Act::Double, 0, "Y3"),
    mutant("configures-twice", CONFIGURE, Act::Double, 0, "Y4"),
];

pub(super) const RUN: &str = "RunPodSandbox";
const STOP_POD: &str = "StopPodSandbox";
const REMOVE_POD: &str = "RemovePodSandbox";
const CREATE: &str = "CreateContainer";
const POST_CREATE: &str = "PostCreateContainer";
const START: &str = "StartContainer";
const POST_START: &str = "PostStartContainer";
const STOP: &str = "StopContainer";
const UPDATE: &str = "UpdateContainer";
const POST_UPDATE: &str = "PostUpdateContainer";
const REMOVE: &str = "RemoveContainer";
pub(super) const CONFIGURE: &str = "Configure";
pub(super) const SYNCHRONIZE: &str = "Synchronize";
