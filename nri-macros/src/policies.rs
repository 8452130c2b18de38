//! Attributes for single events: `required`, `blocking`, `on_error`, `on_timeout`; the required
//! fields, and the failure policy.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::LitStr;

use crate::attributes::{Attributes, Choice};
use crate::diagnostics::{Diagnostics, suggest};
use crate::handles::{Handles, Source};
use crate::table::{RPCS, Rpc};

/// The checked attributes for single events.
#[derive(Default)]
pub(crate) struct Policies {
    pub(crate) required: Vec<&'static Rpc>,
    pub(crate) required_fields: Vec<LitStr>,
    pub(crate) blocking: Vec<&'static Rpc>,
    /// Blocking handlers of RPCs without an event.
    pub(crate) blocking_rpcs: Vec<&'static Rpc>,
    pub(crate) ignore_errors: Vec<&'static Rpc>,
    pub(crate) ok_on_timeout: Vec<&'static Rpc>,
    pub(crate) failure_policy: Option<FailurePolicy>,
    /// Every named event with its place: the plugin has to handle it.
    pub(crate) named: Vec<NamedEvent>,
}

/// An event named in an attribute.
pub(crate) struct NamedEvent {
    pub(crate) rpc: &'static Rpc,
    pub(crate) at: Ident,
    pub(crate) attribute: &'static str,
}

/// `failure_policy(…)`.
#[derive(Default)]
pub(crate) struct FailurePolicy {
    pub(crate) fail_request: bool,
    pub(crate) keep_connected: bool,
}

impl NamedEvent {
    /// Returns the fact and the help for an event that the plugin does not handle.
    pub(crate) fn unhandled(&self) -> (String, String) {
        let NamedEvent { rpc, attribute, .. } = self;
        let fact = format!("`{attribute}` names {}, which the plugin does not handle", rpc.name);
        (fact, format!("implement `{}`, or remove it from `{attribute}`", rpc.name))
    }
}

/// Checks everything that does not depend on which traits the type implements.
pub(crate) fn check(
    attributes: &Attributes,
    handles: Option<&Handles>,
    diagnostics: &mut Diagnostics,
) -> Policies {
    let mut checker = Checker { diagnostics, handles, named: Vec::new() };
    let required = checker.rpcs("required", &attributes.required, Rpc::carries_event);
    let (blocking, blocking_rpcs) = checker
        .rpcs("blocking", &attributes.blocking, |_| true)
        .into_iter()
        .partition(|rpc| rpc.carries_event());
    let ignore_errors = checker.choices("on_error", &attributes.on_error, ["fail", "ignore"]);
    let ok_on_timeout = checker.choices("on_timeout", &attributes.on_timeout, ["fail", "ok"]);
    let failure_policy =
        attributes.failure_policy.as_deref().map(|flags| checker.failure_policy(flags));
    let named = checker.named;
    Policies {
        required,
        required_fields: fields(&attributes.required_fields, diagnostics),
        blocking,
        blocking_rpcs,
        ignore_errors,
        ok_on_timeout,
        failure_policy,
        named,
    }
}

/// Returns the paths of fields that a manifest can hold; the compiler checks that the fields exist.
fn fields(paths: &[LitStr], diagnostics: &mut Diagnostics) -> Vec<LitStr> {
    let mut fields: Vec<LitStr> = Vec::new();
    for path in paths {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.".contains(&byte);
        if !path.value().bytes().all(is_plain) {
            let fact = format!("{} is not the path of a field", path.to_token_stream());
            let help = "write the names of fields with dots in between: \"adjust.CDI_devices\"";
            diagnostics.error(path, fact, help);
        } else if fields.iter().any(|field| field.value() == path.value()) {
            let fact = format!("`required_fields` names {} twice", path.to_token_stream());
            diagnostics.error(path, fact, "remove one of the two");
        } else {
            fields.push(path.clone());
        }
    }
    fields
}

struct Checker<'a> {
    diagnostics: &'a mut Diagnostics,
    handles: Option<&'a Handles>,
    named: Vec<NamedEvent>,
}

impl Checker<'_> {
    fn rpcs(
        &mut self,
        attribute: &'static str,
        names: &[Ident],
        allowed: fn(&Rpc) -> bool,
    ) -> Vec<&'static Rpc> {
        let rpc = |name| self.find(attribute, name, allowed);
        names.iter().filter_map(rpc).collect()
    }

    /// Returns the events with the second choice; the first is the default.
    fn choices(
        &mut self,
        attribute: &'static str,
        list: &[Choice],
        choices: [&str; 2],
    ) -> Vec<&'static Rpc> {
        let chosen = list.iter().filter_map(|Choice { event, choice }| {
            let rpc = self.find(attribute, event, Rpc::carries_event);
            let second = self.choice(choice, choices) == Some(1);
            rpc.filter(|_| second)
        });
        chosen.collect()
    }

    fn choice(&mut self, written: &LitStr, choices: [&str; 2]) -> Option<usize> {
        let found = choices.iter().position(|choice| *choice == written.value());
        if found.is_none() {
            let fact = format!("{} is not a valid choice here", written.to_token_stream());
            self.diagnostics.error(
                written,
                fact,
                format!("use \"{}\" or \"{}\"", choices[0], choices[1]),
            );
        }
        found
    }

    fn find(
        &mut self,
        attribute: &'static str,
        name: &Ident,
        allowed: fn(&Rpc) -> bool,
    ) -> Option<&'static Rpc> {
        let Some(rpc) = RPCS.iter().find(|rpc| allowed(rpc) && rpc.is_named(name)) else {
            let known = RPCS.iter().filter(|rpc| allowed(rpc)).map(|rpc| rpc.name);
            let help = suggest(&name.to_string(), known);
            let fact = format!("`{name}` is not an event that `{attribute}` accepts");
            self.diagnostics.error(name, fact, help);
            return None;
        };
        let named = NamedEvent { rpc, at: name.clone(), attribute };
        if self.is_repeated(&named) || self.is_not_listed(&named) {
            return None;
        }
        self.named.push(named);
        Some(rpc)
    }

    fn is_repeated(&mut self, named: &NamedEvent) -> bool {
        let same = |other: &NamedEvent| {
            other.attribute == named.attribute && other.rpc.name == named.rpc.name
        };
        let repeated = self.named.iter().any(same);
        if repeated {
            let fact = format!("`{}` names {} twice", named.attribute, named.rpc.name);
            self.diagnostics.error(&named.at, fact, "remove one of the two");
        }
        repeated
    }

    /// Returns true if `handles(…)` does not list the event.
    fn is_not_listed(&mut self, named: &NamedEvent) -> bool {
        let Some(handles) = self.handles else {
            return false;
        };
        let through_state_change = || handles.rpcs.iter().any(|(rpc, _)| rpc.name == "StateChange");
        let listed = handles.span(named.rpc).is_some()
            || named.rpc.in_state_change && through_state_change();
        // An empty list is already reported as a separate error.
        let missing = !listed && !handles.rpcs.is_empty();
        if missing {
            let (fact, _) = named.unhandled();
            let add = match handles.source {
                Source::List => format!("add `{}` to `handles`", named.rpc.name),
                Source::Block => format!("add the method `{}`", named.rpc.method()),
            };
            let help = format!("{add}, or remove it from `{}`", named.attribute);
            self.diagnostics.error(&named.at, fact, help);
        }
        missing
    }

    fn failure_policy(&mut self, flags: &[Ident]) -> FailurePolicy {
        let mut policy = FailurePolicy::default();
        for flag in flags {
            match flag.to_string().as_str() {
                "fail_request" => policy.fail_request = true,
                "keep_connected" => policy.keep_connected = true,
                other => {
                    let known = ["fail_request", "keep_connected"];
                    let fact = format!("`{other}` is not part of a failure policy");
                    self.diagnostics.error(flag, fact, suggest(other, known));
                }
            }
        }
        policy
    }
}
