//! `#[nri(…)]` as written: what may stand there, and of what form. What it means is checked in `input`.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Attribute, Lit, LitStr, Meta, Path, Token, WherePredicate, parenthesized};

use crate::diagnostics::{Diagnostics, suggest};

/// All that `#[nri(…)]` says, in the order written.
#[derive(Default)]
pub(crate) struct Attributes {
    pub(crate) name: Option<LitStr>,
    pub(crate) index: Option<LitStr>,
    pub(crate) protocol: Option<LitStr>,
    pub(crate) handles: Option<Vec<Ident>>,
    pub(crate) required: Vec<Ident>,
    pub(crate) blocking: Vec<Ident>,
    pub(crate) on_error: Vec<Choice>,
    pub(crate) on_timeout: Vec<Choice>,
    pub(crate) failure_policy: Option<Vec<Ident>>,
    pub(crate) krate: Option<Path>,
    pub(crate) bound: Option<Vec<WherePredicate>>,
}

/// `EVENT = "what to do"`.
pub(crate) struct Choice {
    pub(crate) event: Ident,
    pub(crate) choice: LitStr,
}

impl Parse for Choice {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let event = input.call(Ident::parse_any)?;
        input.parse::<Token![=]>()?;
        Ok(Choice {
            event,
            choice: input.parse()?,
        })
    }
}

/// One thing in the parentheses of `#[nri(…)]`.
struct Item {
    key: Ident,
    value: Value,
}

enum Value {
    None,
    Equals(TokenStream),
    List(TokenStream),
}

impl Parse for Item {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let key = input.call(Ident::parse_any)?;
        let value = if input.peek(syn::token::Paren) {
            let content;
            parenthesized!(content in input);
            Value::List(content.parse()?)
        } else if input.parse::<Option<Token![=]>>()?.is_some() {
            Value::Equals(value(input)?)
        } else {
            Value::None
        };
        Ok(Item { key, value })
    }
}

/// A literal, or else a path: all that there is up to the next comma.
fn value(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    if input.peek(Lit) {
        return Ok(input.parse::<Lit>()?.into_token_stream());
    }
    let mut tokens = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        tokens.extend([input.parse::<TokenTree>()?]);
    }
    Ok(tokens)
}

/// What may stand in `#[nri(…)]`, each with an example of its form.
const KEYS: &[(&str, &str)] = &[
    ("name", "name = \"pod-logger\""),
    ("index", "index = \"10\""),
    ("protocol", "protocol = \"0.11\""),
    ("handles", "handles(RunPodSandbox, CreateContainer)"),
    ("required", "required(CREATE_CONTAINER)"),
    ("blocking", "blocking(CREATE_CONTAINER)"),
    ("on_error", "on_error(STOP_CONTAINER = \"ignore\")"),
    ("on_timeout", "on_timeout(START_CONTAINER = \"ok\")"),
    (
        "failure_policy",
        "failure_policy(fail_request, keep_connected)",
    ),
    ("crate", "crate = renamed_nri"),
    ("bound", "bound(B: Backend)"),
];

/// Reads all `#[nri(…)]` of a type. What is wrong is noted and left out.
pub(crate) fn parse(attributes: &[Attribute], diagnostics: &mut Diagnostics) -> Attributes {
    let mut found = Attributes::default();
    let mut seen = Vec::new();
    for attribute in attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("nri"))
    {
        for item in items(attribute, diagnostics) {
            if seen.contains(&item.key) {
                let fact = format!("`{}` is given twice", item.key);
                diagnostics.error(&item.key, fact, "keep one of the two");
                continue;
            }
            seen.push(item.key.clone());
            found.take(item, diagnostics);
        }
    }
    found
}

fn items(attribute: &Attribute, diagnostics: &mut Diagnostics) -> Vec<Item> {
    let Meta::List(list) = &attribute.meta else {
        diagnostics.error(
            &attribute.meta,
            "nothing is said here",
            "write `#[nri(name = \"…\", index = \"…\")]`",
        );
        return Vec::new();
    };
    match list.parse_args_with(Punctuated::<Item, Token![,]>::parse_terminated) {
        Ok(items) => items.into_iter().collect(),
        Err(error) => {
            diagnostics.syntax(error);
            Vec::new()
        }
    }
}

impl Attributes {
    fn take(&mut self, item: Item, diagnostics: &mut Diagnostics) {
        let key = item.key.to_string();
        let Some((_, example)) = KEYS.iter().find(|(known, _)| *known == key) else {
            let help = suggest(&key, KEYS.iter().map(|(known, _)| *known));
            return diagnostics.error(
                &item.key,
                format!("`{key}` is not an attribute of `nri`"),
                help,
            );
        };
        let written = match &item.value {
            Value::None => TokenStream::new(),
            Value::Equals(tokens) | Value::List(tokens) => tokens.clone(),
        };
        if self.assign(&key, item.value).is_err() {
            let key = item.key;
            let at = quote!(#key #written);
            diagnostics.error(
                at,
                format!("`{key}` is not of the right form"),
                format!("write `{example}`"),
            );
        }
    }

    fn assign(&mut self, key: &str, value: Value) -> syn::Result<()> {
        match key {
            "name" => self.name = Some(value.single()?),
            "index" => self.index = Some(value.single()?),
            "protocol" => self.protocol = Some(value.single()?),
            "handles" => self.handles = Some(value.names()?),
            "required" => self.required = value.names()?,
            "blocking" => self.blocking = value.names()?,
            "on_error" => self.on_error = value.list(Choice::parse)?,
            "on_timeout" => self.on_timeout = value.list(Choice::parse)?,
            "failure_policy" => self.failure_policy = Some(value.names()?),
            "crate" => self.krate = Some(value.path()?),
            _ => self.bound = Some(value.list(WherePredicate::parse)?),
        }
        Ok(())
    }
}

impl Value {
    fn single<T: Parse>(self) -> syn::Result<T> {
        match self {
            Value::Equals(tokens) => syn::parse2(tokens),
            Value::None | Value::List(_) => Err(self.wrong_form()),
        }
    }

    /// A path, bare or in quotes, as serde writes it.
    fn path(self) -> syn::Result<Path> {
        match self {
            Value::Equals(tokens) => match syn::parse2::<LitStr>(tokens.clone()) {
                Ok(quoted) => quoted.parse(),
                Err(_) => syn::parse2(tokens),
            },
            Value::None | Value::List(_) => Err(self.wrong_form()),
        }
    }

    fn names(self) -> syn::Result<Vec<Ident>> {
        self.list(Ident::parse_any)
    }

    fn list<T>(self, element: fn(ParseStream<'_>) -> syn::Result<T>) -> syn::Result<Vec<T>> {
        let Value::List(tokens) = self else {
            return Err(self.wrong_form());
        };
        let elements = |input: ParseStream<'_>| {
            Punctuated::<T, Token![,]>::parse_terminated_with(input, element)
        };
        Ok(elements.parse2(tokens)?.into_iter().collect())
    }

    /// The caller words it: it knows the right form.
    fn wrong_form(&self) -> syn::Error {
        syn::Error::new(proc_macro2::Span::call_site(), "wrong form")
    }
}
