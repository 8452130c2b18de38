//! Checks that every entry of every table matches something; an entry that does not is an error
//! with near matches.

use std::ops::Range;

use super::deprecation::{self, Deprecation, Interface};
use super::{History, Proto, Revision, distribution, release, runtime};
use crate::error::{Error, ErrorKind, Problem};
use crate::model::Protocol;
use crate::near;

impl History {
    /// Checks every protocol, and that every entry of the tables matches something in the models or
    /// in another table.
    ///
    /// # Errors
    ///
    /// Returns all errors, with file, line and near matches.
    pub fn check(&self) -> Result<(), Error> {
        let mut problems = Vec::new();
        self.check_releases(&mut problems);
        self.check_wasm(&mut problems);
        self.check_runtimes(&mut problems)?;
        self.check_distributions(&mut problems);
        self.check_deprecations(&mut problems)?;
        for revision in &self.revisions {
            if let Err(error) = revision.protocol()?.check() {
                problems.extend(error.into_problems());
            }
        }
        Error::unless_empty(problems)
    }

    fn check_releases(&self, problems: &mut Vec<Problem>) {
        for Proto { revision: name, .. } in &self.tables.protos {
            if !self.revisions.iter().any(|revision| revision.name() == name) {
                let fact = format!("no release carries the proto of revision {name}");
                problems.push(Problem::new(ErrorKind::Table, fact).in_file(release::FILE));
            }
        }
        for revision in &self.revisions {
            if self.releases_of(revision).next().map(|r| r.name.as_str()) != Some(revision.name()) {
                let fact = format!(
                    "revision {} is not named after the first release that carries it",
                    revision.name()
                );
                problems.push(self.unmatched(release::FILE, revision.name(), fact));
            }
        }
    }

    fn check_runtimes(&self, problems: &mut Vec<Problem>) -> Result<(), Error> {
        for runtime in self.runtimes() {
            for release in runtime.releases.iter().filter(|r| !self.knows(&r.nri)) {
                let fact = format!(
                    "{} {} links NRI {}, which is in no table",
                    runtime.id, release.name, release.nri
                );
                let near =
                    near::versions(&release.nri, self.releases().iter().map(|r| r.name.as_str()));
                let problem = self.unmatched(runtime::FILE, &release.nri, fact);
                problems.push(problem.with_help(near::help(&near, "add it to versions.toml")));
            }
        }
        Ok(())
    }

    /// Checks that the tables have every runtime that a distribution ships.
    fn check_distributions(&self, problems: &mut Vec<Problem>) {
        for distribution in self.distributions() {
            for release in &distribution.releases {
                let shipped = format!("{}@{}", distribution.runtime, release.runtime);
                if let Err(error) = self.runtime(&shipped) {
                    let fact = format!(
                        "{} {} ships {shipped}, which is in no table",
                        distribution.id, release.name
                    );
                    let problem = self.unmatched(distribution::FILE, &release.runtime, fact);
                    problems.push(problem.with_help(error.help().unwrap_or_default()));
                }
            }
        }
    }

    /// Returns true if `nri` is the name of a release in `versions.toml`, one-shot releases
    /// included.
    pub fn knows(&self, nri: &str) -> bool {
        let releases = self.releases().iter().map(|release| &release.name);
        let mut known = releases.chain(self.one_shot().iter().map(|old| &old.name));
        known.any(|name| name == nri)
    }

    /// Checks that the release that loads WebAssembly plugins is one of the table.
    fn check_wasm(&self, problems: &mut Vec<Problem>) {
        if let Some(wasm) = self.wasm_since().filter(|wasm| !self.knows(wasm)) {
            let fact = format!("NRI {wasm}, named by `wasm`, is in no table");
            problems.push(self.unmatched(release::FILE, wasm, fact));
        }
    }

    fn check_deprecations(&self, problems: &mut Vec<Problem>) -> Result<(), Error> {
        for deprecation in &self.deprecations {
            self.check_since(deprecation, problems)?;
            if let Interface::Rpc { rpc, message } = &deprecation.interface {
                for name in std::iter::once(rpc).chain(message) {
                    self.must_exist(deprecation, name, problems)?;
                }
            }
            for (event, rpc) in &deprecation.replaced_by {
                self.must_be_replaced(deprecation, event, rpc, problems)?;
            }
        }
        Ok(())
    }

    fn check_since(
        &self,
        deprecation: &Deprecation,
        problems: &mut Vec<Problem>,
    ) -> Result<(), Error> {
        if let Some(nri) = deprecation.deprecated_in.nri.as_ref().filter(|nri| !self.knows(nri)) {
            let names = self.releases().iter().map(|release| release.name.as_str());
            problems.push(self.entry(deprecation, nri, "release", &near::versions(nri, names)));
        }
        for (id, series) in &deprecation.deprecated_in.runtimes {
            if let Err(error) = self.runtime(&format!("{id}@{series}")) {
                let near = error.help().unwrap_or_default().to_owned();
                problems.push(
                    self.entry(deprecation, &format!("{id} {series}"), "runtime", &[])
                        .with_help(near),
                );
            }
        }
        Ok(())
    }

    /// Reports an error unless some revision declares `name`.
    fn must_exist(
        &self,
        deprecation: &Deprecation,
        name: &str,
        problems: &mut Vec<Problem>,
    ) -> Result<(), Error> {
        let protocols = self.protocols()?;
        if !protocols.iter().any(|protocol| protocol.has(name)) {
            let names = protocols.iter().flat_map(|protocol| protocol.names());
            let mut near = near::names(name, names);
            near.dedup();
            problems.push(self.entry(deprecation, name, "element", &near));
        }
        Ok(())
    }

    /// Reports an error unless some revision has both the event and the RPC that carries it.
    fn must_be_replaced(
        &self,
        deprecation: &Deprecation,
        event: &str,
        rpc: &str,
        problems: &mut Vec<Problem>,
    ) -> Result<(), Error> {
        let protocols = self.protocols()?;
        let views = || protocols.iter().filter_map(|protocol| protocol.nri.as_ref());
        let mut events: Vec<&str> =
            views().flat_map(|nri| &nri.events).map(|declared| declared.name.as_str()).collect();
        events.sort_unstable();
        events.dedup();
        if !events.contains(&event) {
            problems.push(self.entry(deprecation, event, "event", &near::names(event, events)));
        } else if !views().any(|nri| nri.event_of_rpc(rpc).is_some_and(|found| found.name == event))
        {
            let mut rpcs: Vec<&str> = views()
                .flat_map(|nri| &nri.events)
                .map(|declared| declared.rpc_name.as_str())
                .collect();
            rpcs.sort_unstable();
            rpcs.dedup();
            problems.push(self.entry(
                deprecation,
                rpc,
                &format!("RPC for {event}"),
                &near::names(rpc, rpcs),
            ));
        }
        Ok(())
    }

    fn protocols(&self) -> Result<Vec<&Protocol>, Error> {
        self.revisions.iter().map(Revision::protocol).collect()
    }

    /// Returns the problem of an entry of `deprecation` that names a missing `what`.
    fn entry(&self, deprecation: &Deprecation, name: &str, what: &str, near: &[&str]) -> Problem {
        let text = &self.tables.deprecations;
        let fact =
            format!("deprecation `{}` names {what} `{name}`, which does not exist", deprecation.id);
        let start = deprecation.place.start;
        let found = text.get(start..).and_then(|rest| rest.find(name));
        let span =
            found.map_or(deprecation.place.clone(), |at| start + at..start + at + name.len());
        Problem::new(ErrorKind::Table, fact)
            .in_file(deprecation::FILE)
            .at(text, span)
            .with_help(near::help(near, "names are those of the protos under api/"))
    }

    fn unmatched(&self, file: &str, name: &str, fact: String) -> Problem {
        let text: &str = match file {
            runtime::FILE => &self.tables.runtimes,
            distribution::FILE => &self.tables.distributions,
            _ => &self.tables.versions,
        };
        let problem = Problem::new(ErrorKind::Table, fact).in_file(file);
        match text.find(&format!("\"{name}\"")).map(|at| at + 1) {
            Some(at) => problem.at(text, Range { start: at, end: at + name.len() }),
            None => problem,
        }
    }
}
