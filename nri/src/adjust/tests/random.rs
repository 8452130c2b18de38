//! Random sequences of builder calls: none panics, and decoding returns what was built.

use crate::adjust::HookStage;
use crate::codec::Message;
use proptest::prelude::*;

use super::*;
use crate::api::PosixRlimit;

type Call = Box<dyn Fn(Adjustment) -> Adjustment>;

/// Returns one call of the builder with arbitrary text and numbers, valid or not.
fn call(which: u8, text: String, other: String, number: i64) -> Call {
    match which {
        0 => Box::new(move |adjustment| adjustment.env(text.clone(), other.clone())),
        1 => Box::new(move |adjustment| adjustment.remove_env(&text)),
        2 => Box::new(move |adjustment| adjustment.annotation(text.clone(), other.clone())),
        3 => Box::new(move |adjustment| adjustment.replace_annotation(&text, other.clone())),
        4 => Box::new(move |adjustment| {
            adjustment.mount(Mount::bind(text.clone(), other.clone()).read_only())
        }),
        5 => Box::new(move |adjustment| adjustment.remove_mount(&text)),
        6 => Box::new(move |adjustment| {
            adjustment.device(LinuxDevice::block(text.clone(), number, 0).mode(0o600))
        }),
        7 => Box::new(move |adjustment| adjustment.replace_sysctl(&text, other.clone())),
        8 => Box::new(move |adjustment| adjustment.net_device(text.clone(), other.clone())),
        9 => Box::new(move |adjustment| adjustment.remove_net_device(&text)),
        10 => Box::new(move |adjustment| adjustment.oom_score_adj(number).memory_limit(number)),
        11 => Box::new(move |adjustment| {
            adjustment.rlimit(PosixRlimit::new(text.clone()).soft(number as u64).hard(1))
        }),
        12 => Box::new(move |adjustment| {
            adjustment
                .rdt_schemata([text.clone(), other.clone()])
                .remove_rdt()
        }),
        13 => Box::new(move |adjustment| {
            adjustment.hooks(Hooks::default().with(
                HookStage::Poststart,
                Hook::new(text.clone()).arg(other.clone()),
            ))
        }),
        14 => Box::new(move |adjustment| {
            adjustment
                .cpuset_cpus(text.clone())
                .unified(text.clone(), other.clone())
        }),
        _ => Box::new(move |adjustment| {
            adjustment.update(ContainerUpdate::new(text.clone()).cpu_quota(number))
        }),
    }
}

fn calls() -> impl Strategy<Value = Vec<(u8, String, String, i64)>> {
    let text = prop_oneof!["[-/=a-c0-9]{0,4}", any::<String>()];
    proptest::collection::vec((0u8..16, text.clone(), text, any::<i64>()), 0..20)
}

fn build(calls: Vec<(u8, String, String, i64)>) -> Adjustment {
    calls.into_iter().fold(
        Adjustment::new(),
        |adjustment, (which, text, other, number)| call(which, text, other, number)(adjustment),
    )
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
