//! Short names of elements, for all human-readable formats.

/// Returns the relevant part of a full name: `Message.field`, `Plugin.Rpc`, or only the last part
/// if the rest is always the same (`RUN_POD_SANDBOX`).
pub fn short(element: &str) -> &str {
    let mut dots = element.rmatch_indices('.').map(|(at, _)| at);
    let (Some(last), before) = (dots.next(), dots.next()) else {
        return element;
    };
    let start = before.map_or(0, |at| at + 1);
    let parent = &element[start..last];
    if matches!(parent, "Event" | "Plugin") {
        &element[last + 1..]
    } else {
        &element[start..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_shortened_but_stay_distinct() {
        for (element, expected) in [
            (
                "nri.pkg.api.v1alpha1.Event.RUN_POD_SANDBOX",
                "RUN_POD_SANDBOX",
            ),
            ("nri.pkg.api.v1alpha1.Plugin.RunPodSandbox", "RunPodSandbox"),
            ("nri.pkg.api.v1alpha1.Container.image", "Container.image"),
            (
                "nri.pkg.api.v1alpha1.Runtime.RegisterPlugin",
                "Runtime.RegisterPlugin",
            ),
            ("Container", "Container"),
            ("a.b", "a.b"),
        ] {
            assert_eq!(short(element), expected);
        }
    }
}
