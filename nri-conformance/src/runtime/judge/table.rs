//! The tests, in the order of the contract.

use super::sequence::{self, SequenceTest};
use super::{Finding, containers, errors, order, over, over_pods, remove, run, skip, stop, sync};
use crate::result::Outcome;
use crate::runtime::scenario::{
    Early, Evidence, Hanging, Joining, Life, PodCase, RejectedContainer, RejectedPod, Teardown,
};

/// A test.
#[derive(Clone, Copy, Debug)]
pub(in crate::runtime) struct Test {
    /// The statement that it judges.
    pub(in crate::runtime) statement: &'static str,
    /// Its name.
    pub(in crate::runtime) name: &'static str,
    /// The function that judges it, with the evidence that it needs.
    pub(in crate::runtime) judge: Judge,
}

/// The ways of judging.
#[derive(Clone, Copy, Debug)]
pub(in crate::runtime) enum Judge {
    /// Each pod individually.
    Pods(fn(&PodCase) -> Outcome),
    /// The life of pods without misbehaviour.
    Life(fn(&Life) -> Outcome),
    /// A container that the driver tries to start too early.
    Early(fn(&Early) -> Outcome),
    /// A pod that a plugin rejects.
    RejectedPod(fn(&RejectedPod) -> Outcome),
    /// A container that a plugin rejects.
    RejectedContainer(fn(&RejectedContainer) -> Outcome),
    /// Pods that are taken down while a plugin fails a hook.
    Teardowns(fn(&[Teardown]) -> Outcome),
    /// The same, with the shape of what was seen.
    Chains(fn(&[Teardown]) -> Finding),
    /// The events of every plugin in the order of their arrival, while no plugin misbehaved.
    Sequences(SequenceTest),
    /// The same, and what plugins that connected late received.
    Registrations(SequenceTest),
    /// A plugin that does not answer.
    Hanging(fn(&Hanging) -> Outcome),
    /// Plugins that connect late.
    Joining(fn(&Joining) -> Outcome),
    /// Cannot be observed, for this reason.
    Never(&'static str),
}

impl Judge {
    pub(super) fn finding(self, evidence: &Evidence) -> Finding {
        match self {
            Judge::Pods(judge) => over_pods(&evidence.pods, judge).into(),
            Judge::Life(judge) => over(&evidence.life, judge).into(),
            Judge::Early(judge) => over(&evidence.early, judge).into(),
            Judge::RejectedPod(judge) => over(&evidence.rejected_pod, judge).into(),
            Judge::RejectedContainer(judge) => over(&evidence.rejected_container, judge).into(),
            Judge::Teardowns(judge) => {
                over(&evidence.teardowns, |all: &Vec<Teardown>| judge(all)).into()
            }
            Judge::Chains(judge) => over(&evidence.teardowns, |all: &Vec<Teardown>| judge(all)),
            Judge::Sequences(test) => test.judge(&evidence.sequences),
            Judge::Registrations(test) => test.judge(evidence.all_sequences()),
            Judge::Hanging(judge) => over(&evidence.hanging, judge).into(),
            Judge::Joining(judge) => over(&evidence.joining, judge).into(),
            Judge::Never(reason) => skip(reason).into(),
        }
    }
}

const fn of_sequences(test: SequenceTest) -> Test {
    Test {
        statement: test.statement,
        name: test.name,
        judge: Judge::Sequences(test),
    }
}

const fn test(statement: &'static str, name: &'static str, judge: Judge) -> Test {
    Test {
        statement,
        name,
        judge,
    }
}

/// All tests.
pub(in crate::runtime) const TESTS: &[Test] = &[
    test("R1", "cgroup-exists", Judge::Pods(run::cgroup_exists)),
    test(
        "R2",
        "namespaces-are-active",
        Judge::Pods(run::namespaces_are_active),
    ),
    test("R3", "ids-are-new", Judge::Life(run::ids_are_new)),
    test(
        "R3",
        "retry-has-a-new-id",
        Judge::RejectedPod(run::retry_has_a_new_id),
    ),
    test(
        "R3",
        "stopped-sandbox-is-not-reused",
        Judge::Life(run::stopped_sandbox_is_not_reused),
    ),
    of_sequences(sequence::IDS_ARE_NOT_REUSED),
    test(
        "R4",
        "network-is-configured",
        Judge::Pods(run::network_is_configured),
    ),
    test("R5", "ip-is-assigned", Judge::Pods(run::ip_is_assigned)),
    test("R6", "pause-runs", Judge::Pods(run::pause_runs)),
    test(
        "R7",
        "not-ready-during-the-hook",
        Judge::Pods(run::not_ready_during_the_hook),
    ),
    test(
        "S1",
        "containers-are-stopping",
        Judge::Pods(stop::containers_are_stopped),
    ),
    test(
        "S2",
        "sandbox-is-accessible",
        Judge::Pods(stop::sandbox_is_accessible),
    ),
    test("S3", "network-stays", Judge::Pods(stop::network_stays)),
    test(
        "S4",
        "cgroup-is-accessible",
        Judge::Pods(stop::cgroup_is_accessible),
    ),
    test(
        "S5",
        "resources-are-stable",
        Judge::Pods(stop::resources_are_stable),
    ),
    test(
        "D1",
        "containers-are-removed",
        Judge::Pods(remove::containers_are_removed),
    ),
    test(
        "D2",
        "stop-has-completed",
        Judge::Pods(remove::stop_has_completed),
    ),
    test(
        "D3",
        "no-access-is-promised",
        Judge::Never("it promises nothing, so that no runtime can break it"),
    ),
    test(
        "O1",
        "run-is-part-of-its-request",
        Judge::Pods(order::run_is_part_of_its_request),
    ),
    of_sequences(sequence::RUN_COMES_FIRST),
    test(
        "O2",
        "stop-is-part-of-its-request",
        Judge::Pods(order::stop_is_part_of_its_request),
    ),
    test(
        "O3",
        "remove-is-part-of-its-request",
        Judge::Pods(order::remove_is_part_of_its_request),
    ),
    of_sequences(sequence::POD_EVENTS_IN_ORDER),
    test(
        "O5",
        "workload-starts-after-run",
        Judge::Pods(order::workload_starts_after_run),
    ),
    test(
        "O5",
        "early-workload-is-refused",
        Judge::Early(order::early_workload_is_refused),
    ),
    test(
        "O6",
        "containers-are-stopped",
        Judge::Pods(stop::containers_are_stopped),
    ),
    test("O7", "addresses-stay", Judge::Pods(stop::addresses_stay)),
    of_sequences(sequence::NOTHING_AFTER_REMOVAL),
    test(
        "E1",
        "timeout-is-an-error",
        Judge::Hanging(errors::timeout_is_an_error),
    ),
    test(
        "E2",
        "rejected-pod-is-cleaned-up",
        Judge::RejectedPod(errors::rejected_pod_is_cleaned_up),
    ),
    test("E3", "stop-goes-on", Judge::Teardowns(errors::stop_goes_on)),
    test(
        "E4",
        "removal-goes-on",
        Judge::Teardowns(errors::removal_goes_on),
    ),
    test(
        "E5",
        "stop-pod-reaches-later-plugins",
        Judge::Chains(errors::stop_pod_reaches_later_plugins),
    ),
    test(
        "E5",
        "remove-pod-reaches-later-plugins",
        Judge::Chains(errors::remove_pod_reaches_later_plugins),
    ),
    test(
        "E5",
        "stop-container-reaches-later-plugins",
        Judge::Chains(errors::stop_reaches_later_plugins),
    ),
    test(
        "E5",
        "remove-container-reaches-later-plugins",
        Judge::Chains(errors::remove_reaches_later_plugins),
    ),
    test(
        "E6",
        "accepting-plugins-are-informed",
        Judge::RejectedPod(errors::accepting_plugins_are_informed),
    ),
    test(
        "C1",
        "container-events-in-order",
        Judge::Life(containers::container_events_in_order),
    ),
    test(
        "C1",
        "failing-container-events-in-order",
        Judge::Life(containers::failing_container_events_in_order),
    ),
    of_sequences(sequence::EVERY_CONTAINER_IN_ORDER),
    test(
        "C2",
        "not-listed-during-create",
        Judge::Life(containers::not_listed_during_create),
    ),
    test(
        "C3",
        "rejected-container-is-cleaned-up",
        Judge::RejectedContainer(containers::rejected_container_is_cleaned_up),
    ),
    test(
        "C4",
        "second-stop-succeeds",
        Judge::Life(containers::second_stop_succeeds),
    ),
    of_sequences(sequence::POST_EVENTS_IN_ORDER),
    test(
        "P1",
        "run-hooks-complete-first",
        Judge::Never("it repeats O5"),
    ),
    test(
        "P2",
        "plugins-are-called-by-index",
        Judge::Pods(order::plugins_are_called_by_index),
    ),
    test(
        "P3",
        "remove-hooks-are-independent",
        Judge::Never("plugins keep it; E5 is about the runtime's part"),
    ),
    test(
        "Y1",
        "metadata-is-correct",
        Judge::Life(sync::metadata_is_correct),
    ),
    test("Y1", "late-plugin", Judge::Joining(sync::late_plugin)),
    test(
        "Y1",
        "container-during-synchronize",
        Judge::Joining(sync::container_during_synchronize),
    ),
    test(
        "Y1",
        "created-while-connecting",
        Judge::Joining(sync::crowd),
    ),
    test(
        "Y1",
        "returned-plugin",
        Judge::Joining(sync::returned_plugin),
    ),
    test(
        "Y3",
        sequence::SYNCHRONIZED_ONCE.name,
        Judge::Registrations(sequence::SYNCHRONIZED_ONCE),
    ),
];
