//! Random sequences of builder calls: none panics, and decoding returns what was built.

use crate::adjust::HookStage;
use crate::codec::Message;
use proptest::prelude::*;

use super::*;
use crate::api::PosixRlimit;

type Call = (u8, String, String, i64);

/// Calls one function of the builder with arbitrary text and numbers, valid or not.
fn call(adjustment: Adjustment, (which, text, other, number): Call) -> Adjustment {
    match which {
        0 => adjustment.env(text, other),
        1 => adjustment.remove_env(&text),
        2 => adjustment.annotation(text, other),
        3 => adjustment.replace_annotation(&text, other),
        4 => adjustment.mount(Mount::bind(text, other).read_only()),
        5 => adjustment.remove_mount(&text),
        6 => adjustment.device(LinuxDevice::block(text, number, 0).mode(0o600)),
        7 => adjustment.replace_sysctl(&text, other),
        8 => adjustment.net_device(text, other),
        9 => adjustment.remove_net_device(&text),
        10 => adjustment.oom_score_adj(number).memory_limit(number),
        11 => adjustment.rlimit(PosixRlimit::new(text).soft(number as u64).hard(1)),
        12 => adjustment.rdt_schemata([text, other]).remove_rdt(),
        13 => {
            let hook = Hook::new(text).arg(other);
            adjustment.hooks(Hooks::default().with(HookStage::Poststart, hook))
        }
        14 => adjustment.cpuset_cpus(text.clone()).unified(text, other),
        _ => adjustment.update(ContainerUpdate::new(text).cpu_quota(number)),
    }
}

fn calls() -> impl Strategy<Value = Vec<Call>> {
    let text = prop_oneof!["[-/=a-c0-9]{0,4}", any::<String>()];
    proptest::collection::vec((0u8..16, text.clone(), text, any::<i64>()), 0..20)
}

fn build(calls: Vec<Call>) -> Adjustment {
    calls.into_iter().fold(Adjustment::new(), call)
}

proptest! {
    #[test]
    fn what_is_built_survives_the_wire(calls in calls()) {
        let response = CreateContainerResponse::from(build(calls));
        prop_assert_eq!(CreateContainerResponse::decode(&*response.encode_to_vec()), Ok(response));
    }

    #[test]
    fn the_check_never_panics_and_says_the_same_of_what_came_over_the_wire(calls in calls()) {
        let adjustment = build(calls);
        let decoded = ContainerAdjustment::decode(&*adjustment.adjust.encode_to_vec()).unwrap();
        let mut received = Adjustment::from(decoded);
        received.update = adjustment.update.clone();
        prop_assert_eq!(adjustment.check(), received.check());
    }
}
