//! The pods that the plugin knows.

use std::collections::HashSet;

use nri::api::PodSandbox;

/// The pods that it has seen run.
#[derive(Debug, Default)]
pub(crate) struct Pods {
    run: Vec<PodSandbox>,
    stopped: HashSet<String>,
}

impl Pods {
    pub(crate) fn ran(&mut self, pod: &PodSandbox) {
        self.run.push(pod.clone());
    }

    pub(crate) fn removed(&mut self, pod: &PodSandbox) {
        self.run.retain(|it| it.id != pod.id);
        self.stopped.remove(&pod.id);
    }

    /// Records that a pod was stopped. Returns false if it was stopped before.
    pub(crate) fn stopped(&mut self, pod: &PodSandbox) -> bool {
        self.stopped.insert(pod.id.clone())
    }

    pub(crate) fn knows(&self, pod: &PodSandbox) -> bool {
        self.run.iter().any(|it| it.id == pod.id)
    }

    /// Returns true if a pod with the same uid, which is not empty, has run and was not removed.
    pub(crate) fn has_uid(&self, pod: &PodSandbox) -> bool {
        !pod.uid.is_empty() && self.run.iter().any(|it| it.uid == pod.uid)
    }

    /// Returns true if a pod that was run before this one still exists.
    pub(crate) fn has_older(&self, pod: &PodSandbox) -> bool {
        self.knows(pod) && self.run.first().is_some_and(|it| it.id != pod.id)
    }
}
