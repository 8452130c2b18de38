//! A path as reports show it, taken apart: `image.tar: layer 3: /usr/bin/x`, `/opt/x (pid 12, 15)`.

/// The parts of a path as shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shown<'p> {
    /// The file on disk.
    pub(crate) file: &'p str,
    /// What is within it: `layer 3: /usr/bin/x`.
    pub(crate) within: Option<&'p str>,
    /// What runs it: `pid 12, 15`.
    pub(crate) processes: Option<&'p str>,
}

impl<'p> Shown<'p> {
    /// Takes a path apart. A name that looks like one of the parts cannot be told from it; then only the place that
    /// annotations point at is less exact.
    pub(crate) fn of(path: &'p str) -> Self {
        let (path, processes) = match path
            .strip_suffix(')')
            .and_then(|path| path.rsplit_once(" (pid "))
        {
            Some((before, pids))
                if pids
                    .bytes()
                    .all(|byte| b"0123456789, andmore".contains(&byte)) =>
            {
                (before, path.get(before.len() + 2..path.len() - 1))
            }
            _ => (path, None),
        };
        let (file, within) = match path.split_once(": ") {
            Some((file, within)) => (file, Some(within)),
            None => (path, None),
        };
        Self {
            file,
            within,
            processes,
        }
    }

    /// The path where the file is itself: within the innermost layer, without its processes.
    pub(crate) fn innermost(&self) -> &'p str {
        let within = self.within.and_then(|within| within.rsplit(": ").next());
        within.unwrap_or(self.file)
    }
}

#[cfg(test)]
mod tests {
    use super::Shown;

    #[test]
    fn parts_are_told_apart() {
        let shown = Shown::of("image.tar: layer 3: /usr/bin/x");
        assert_eq!(
            (shown.file, shown.within),
            ("image.tar", Some("layer 3: /usr/bin/x"))
        );
        assert_eq!(shown.innermost(), "/usr/bin/x");
        let shown = Shown::of("/opt/x (pid 12, 15)");
        assert_eq!(
            (shown.file, shown.processes),
            ("/opt/x", Some("pid 12, 15"))
        );
        assert_eq!(shown.innermost(), "/opt/x");
        let many = Shown::of("/opt/x (pid 1, 2 and 3 more)").processes;
        assert_eq!(many, Some("pid 1, 2 and 3 more"));
        let shown = Shown::of("/opt/x (pid y)");
        assert_eq!((shown.file, shown.processes), ("/opt/x (pid y)", None));
        assert_eq!(Shown::of("").innermost(), "");
    }
}
