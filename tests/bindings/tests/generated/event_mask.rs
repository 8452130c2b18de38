//! The event mask: what it holds, how it reads and prints. The spellings are those of the Go API's
//! ParseEventMask.

use nri_tests_bindings::latest::{Event, EventMask};
use nri_tests_bindings::v0_9;

const PODS: EventMask = EventMask::EMPTY
    .with(Event::RunPodSandbox)
    .with(Event::StopPodSandbox)
    .with(Event::RemovePodSandbox)
    .with(Event::UpdatePodSandbox)
    .with(Event::PostUpdatePodSandbox);

/// The bit of the next event: the sentinel is one above the last event.
const NEXT: i32 = 1 << (Event::Last as i32 - 1);

#[test]
fn constants_are_computed_at_compile_time() {
    assert_eq!(EventMask::POD, PODS);
    assert_eq!(EventMask::POD.union(EventMask::CONTAINER), EventMask::ALL);
    assert_eq!(EventMask::POD.len() + EventMask::CONTAINER.len(), EventMask::ALL.len());
    assert_eq!(EventMask::ALL.bits(), NEXT - 1);
    assert!(const { EventMask::EMPTY.is_empty() && !PODS.contains(Event::StartContainer) });
    assert_eq!(PODS.without(Event::RunPodSandbox).len(), 4);
}

#[test]
fn it_cannot_hold_what_the_revision_does_not_know() {
    assert_eq!(EventMask::from_bits(NEXT - 1), Ok(EventMask::ALL));
    let error = EventMask::from_bits(NEXT | 1).unwrap_err();
    assert_eq!((error.bits(), error.to_string()), (NEXT, format!("unknown events {NEXT:#x}")));
    assert_eq!(EventMask::from_bits(-1).unwrap_err().bits(), !(NEXT - 1));
    assert_eq!(EventMask::from_bits_truncate(-1), EventMask::ALL);
    for no_event in [Event::Unknown, Event::Last] {
        assert_eq!(EventMask::from_event(no_event), EventMask::EMPTY);
        assert!(!EventMask::ALL.contains(no_event));
    }
    // The newer mask does not fit the older revision.
    assert_eq!(
        v0_9::EventMask::from_bits(EventMask::ALL.bits()).unwrap_err().bits(),
        (NEXT - 1) & !0x7ff
    );
}

#[test]
fn names_are_read_in_any_case_and_with_commas() {
    for (names, mask) in [
        ("RunPodSandbox", 1),
        ("runpodsandbox, CREATECONTAINER ,\tStopContainer", 0x209),
        ("all", NEXT - 1),
        ("All,RunPodSandbox", NEXT - 1),
        ("pod", PODS.bits()),
        ("PodSandbox", PODS.bits()),
        ("Container", (NEXT - 1) & !PODS.bits()),
        ("ValidateContainerAdjustment", 0x2000),
    ] {
        assert_eq!(names.parse::<EventMask>().map(EventMask::bits), Ok(mask), "{names}");
    }
    // As in the Go API: groups allow no spaces, and there is no empty name.
    for (names, unknown) in [
        ("", ""),
        ("pod,", ""),
        (" all", " all"),
        ("Run_Pod_Sandbox", "run_pod_sandbox"),
        ("pod,Nope", "nope"),
    ] {
        let error = names.parse::<EventMask>().unwrap_err();
        assert_eq!(error.name(), unknown);
        assert_eq!(error.to_string(), format!("unknown event {unknown:?}"));
    }
    assert!("UpdatePodSandbox".parse::<v0_9::EventMask>().is_err());
}

#[test]
fn printing_and_reading_are_inverse() {
    for bits in 0..=EventMask::ALL.bits() {
        let mask = EventMask::from_bits(bits).unwrap();
        assert_eq!(mask.iter().collect::<EventMask>(), mask);
        assert_eq!(mask.iter().count(), mask.len());
        if !mask.is_empty() {
            assert_eq!(mask.to_string().parse(), Ok(mask));
        }
    }
    assert_eq!(
        EventMask::from_bits(0x11).unwrap().to_string(),
        "RunPodSandbox,PostCreateContainer"
    );
    assert_eq!(
        format!("{:?}", EventMask::from_event(Event::StartContainer)),
        "EventMask(StartContainer)"
    );
}
