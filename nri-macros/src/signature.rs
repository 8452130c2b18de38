//! The signatures of the methods of a block, compared with those of the traits: the compiler's
//! errors count the context, which authors may leave out.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{
    FnArg, GenericArgument, ImplItemFn, PathArguments, Receiver, ReceiverKind, ReturnType, Type,
    TypePath,
};

use crate::diagnostics::Diagnostics;
use crate::table::{RPCS, Rpc};

/// The types of answers that change containers, which only some handlers can return.
const CHANGES: [&str; 2] = ["Adjustment", "Updates"];

/// The signature that a method has to have.
pub(crate) struct Signature {
    method: String,
    /// The name and type of each argument, without the context.
    arguments: &'static [(&'static str, &'static str)],
    /// The type of the answer; `None` for a hook, which answers nothing.
    answer: Option<&'static str>,
}

impl Signature {
    /// Returns the signature of the handler of an RPC.
    pub(crate) fn of_handler(rpc: &'static Rpc) -> Signature {
        Signature { method: rpc.method(), arguments: rpc.arguments, answer: Some(rpc.answer) }
    }

    /// Returns the signature of a method of `Connection`.
    pub(crate) fn of_hook(
        method: &str,
        arguments: &'static [(&'static str, &'static str)],
    ) -> Signature {
        Signature { method: method.to_owned(), arguments, answer: None }
    }

    /// Returns true if the method has this signature, as far as a macro can tell; otherwise adds
    /// one error.
    pub(crate) fn check(&self, method: &ImplItemFn, diagnostics: &mut Diagnostics) -> bool {
        let mistakes = [Self::receiver, Self::is_async, Self::count, Self::arguments, Self::output];
        let mistake = mistakes.iter().find_map(|find| find(self, method));
        let Some(Mistake { at, fact, help }) = mistake else {
            return true;
        };
        diagnostics.error(at, fact, help);
        false
    }

    /// Rejects `self`, `&mut self`, and functions without a receiver.
    fn receiver(&self, method: &ImplItemFn) -> Option<Mistake> {
        let receiver = method.sig.receiver();
        if receiver.is_some_and(is_shared) {
            return None;
        }
        let name = &self.method;
        let (at, fact) = match receiver {
            Some(it) => {
                (it.to_token_stream(), format!("`{name}` takes `&self`, not `{}`", text(it)))
            }
            None => (method.sig.ident.to_token_stream(), format!("`{name}` lacks `&self`")),
        };
        let help = "handlers overlap: keep what changes in a `Mutex` or an atomic";
        Some(Mistake { at, fact, help: format!("{}\nhelp: {help}", self.help()) })
    }

    /// Rejects a plain function, except for one whose answer may be a future.
    fn is_async(&self, method: &ImplItemFn) -> Option<Mistake> {
        let is_plain = match &method.sig.output {
            ReturnType::Default => true,
            ReturnType::Type(_, ty) => last_segment(ty).is_some_and(|it| it.ident == "Result"),
        };
        (method.sig.asyncness.is_none() && is_plain).then(|| Mistake {
            at: method.sig.fn_token.to_token_stream(),
            fact: format!("`{}` is not async", self.method),
            help: format!("add `async`: {}", self.written()),
        })
    }

    /// Rejects missing and additional arguments. The context does not count.
    fn count(&self, method: &ImplItemFn) -> Option<Mistake> {
        let (has_context, expected) = (has_context(method), self.arguments.len());
        let found = types(method).len() - usize::from(has_context);
        let after = if has_context { "the context" } else { "`&self`" };
        let takes = arguments_in_words(expected);
        (found != expected).then(|| Mistake {
            at: method.sig.inputs.to_token_stream(),
            fact: format!("`{}` takes {takes} after {after}, not {found}", self.method),
            help: self.help(),
        })
    }

    /// Rejects a reference in place of a value, the reverse, and the type of another argument.
    fn arguments(&self, method: &ImplItemFn) -> Option<Mistake> {
        let found = types(method).into_iter().skip(usize::from(has_context(method)));
        found.zip(self.arguments).find_map(|(ty, (name, wanted))| {
            let is_reference = matches!(ty, Type::Reference(_));
            let is_wrong = is_reference != wanted.starts_with('&') || is_of_another(ty, wanted);
            is_wrong.then(|| Mistake {
                at: ty.to_token_stream(),
                fact: format!(
                    "the argument `{name}` of `{}` is `{wanted}`, not `{}`",
                    self.method,
                    text(ty)
                ),
                help: self.help(),
            })
        })
    }

    fn output(&self, method: &ImplItemFn) -> Option<Mistake> {
        method.sig.asyncness?;
        let found = match &method.sig.output {
            ReturnType::Default if self.answer.is_none() => return None,
            ReturnType::Default => {
                return Some(Mistake {
                    at: method.sig.ident.to_token_stream(),
                    fact: format!("`{}` returns nothing", self.method),
                    help: self.help(),
                });
            }
            ReturnType::Type(_, ty) => ty,
        };
        let answer = answer(found)?;
        let wanted = self.answer.unwrap_or("()");
        let is_other = CHANGES.contains(&answer.as_str()) && answer != wanted;
        is_other.then(|| Mistake {
            at: found.to_token_stream(),
            fact: format!("`{}` cannot answer with `{answer}`", self.method),
            help: format!("{}\nhelp: {}", self.help(), instead(&answer, wanted)),
        })
    }

    fn help(&self) -> String {
        let context = "`cx: &EventContext` may come before the other arguments";
        format!("write {}\nhelp: {context}", self.written())
    }

    /// Returns the signature as an author writes it.
    fn written(&self) -> String {
        let Signature { method, arguments, answer } = self;
        let parameters: String =
            arguments.iter().map(|(name, ty)| format!(", {name}: {ty}")).collect();
        let result = answer.map(|ty| format!(" -> nri::Result<{ty}>")).unwrap_or_default();
        format!("`async fn {method}(&self{parameters}){result}`")
    }
}

/// An error about a method.
struct Mistake {
    at: TokenStream,
    fact: String,
    help: String,
}

/// Returns the way to do what an answer of another type would do.
fn instead(answer: &str, wanted: &str) -> &'static str {
    match (answer, wanted) {
        ("Adjustment", "Updates") => {
            "a container is adjusted in `create_container` only; update it and others with `Updates`"
        }
        ("Adjustment", _) => {
            "a container is adjusted in `create_container` only; update an existing one with `cx.update_later`"
        }
        _ => "update containers with `cx.update_later`, which sends the updates after the event",
    }
}

/// Returns true if the first argument is the context: a reference to a type that no other argument
/// has. The type may be renamed, so that its own name says nothing.
pub(crate) fn has_context(method: &ImplItemFn) -> bool {
    let Some(Type::Reference(first)) = types(method).first().copied() else {
        return false;
    };
    let name = last_segment(&first.elem).map(|segment| segment.ident.to_string());
    name.is_some_and(|name| name != "Error" && !is_argument(&name))
}

/// Returns true if a type is that of another argument of a handler. A name that no argument has may
/// be one that the author gave to the right type.
fn is_of_another(ty: &Type, wanted: &str) -> bool {
    let name = last_segment(ty).map(|segment| segment.ident.to_string());
    name.is_some_and(|name| is_argument(&name) && !mentions(wanted, &name))
}

/// Returns true if an argument of a handler has a type of this name.
fn is_argument(name: &str) -> bool {
    RPCS.iter().flat_map(|rpc| rpc.arguments).any(|(_, ty)| mentions(ty, name))
}

/// Returns true if the source text of a type has this name.
fn mentions(ty: &str, name: &str) -> bool {
    ty.split(|c: char| !c.is_alphanumeric()).any(|word| word == name)
}

/// Returns the types of the arguments after the receiver.
fn types(method: &ImplItemFn) -> Vec<&Type> {
    method
        .sig
        .inputs
        .iter()
        .filter_map(|argument| match argument {
            FnArg::Typed(typed) => Some(&*typed.ty),
            FnArg::Receiver(_) => None,
        })
        .collect()
}

/// Returns true if a receiver is a shared reference. The compiler judges one with a type.
fn is_shared(receiver: &Receiver) -> bool {
    match &receiver.kind {
        ReceiverKind::Reference(_, _, mutability) => mutability.is_none(),
        ReceiverKind::Value => false,
        _ => true,
    }
}

fn arguments_in_words(count: usize) -> String {
    match count {
        0 => "no arguments".to_owned(),
        1 => "one argument".to_owned(),
        _ => format!("{count} arguments"),
    }
}

/// Returns `Adjustment` for `nri::Result<Adjustment>`.
fn answer(ty: &Type) -> Option<String> {
    let PathArguments::AngleBracketed(arguments) = &last_segment(ty)?.arguments else {
        return None;
    };
    let GenericArgument::Type(answer) = arguments.args.first()? else {
        return None;
    };
    last_segment(answer).map(|segment| segment.ident.to_string())
}

fn last_segment(ty: &Type) -> Option<&syn::PathSegment> {
    let Type::Path(TypePath { path, .. }) = ty else {
        return None;
    };
    path.segments.last()
}

/// Returns the source text of tokens, with the spaces that authors write.
fn text(tokens: &impl ToTokens) -> String {
    let text = tokens.to_token_stream().to_string();
    ["& ", " ::", ":: ", " <", "< ", " >"]
        .iter()
        .fold(text, |text, spaced| text.replace(spaced, spaced.trim()))
}
