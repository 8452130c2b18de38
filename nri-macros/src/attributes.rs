//! The syntax of `#[nri(…)]`: keys and forms. `input` checks their meaning.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Lit, LitStr, Meta, Path, Token, WherePredicate, parenthesized};

use crate::diagnostics::{Diagnostics, suggest};

/// The values of `#[nri(…)]`, each in source order.
#[derive(Default)]
pub(crate) struct Attributes {
    pub(crate) name: Option<LitStr>,
    pub(crate) index: Option<LitStr>,
    pub(crate) protocol: Option<LitStr>,
    pub(crate) handles: Option<Vec<Ident>>,
    pub(crate) required: Vec<Ident>,
    pub(crate) required_fields: Vec<LitStr>,
    pub(crate) blocking: Vec<Ident>,
    pub(crate) on_error: Vec<Choice>,
    pub(crate) on_timeout: Vec<Choice>,
    pub(crate) failure_policy: Option<Vec<Ident>>,
    pub(crate) krate: Option<Path>,
    pub(crate) bound: Option<Vec<WherePredicate>>,
}

/// `EVENT = "choice"`.
pub(crate) struct Choice {
    pub(crate) event: Ident,
    pub(crate) choice: LitStr,
}

impl Parse for Choice {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let event = input.call(Ident::parse_any)?;
        input.parse::<Token![=]>()?;
        Ok(Choice { event, choice: input.parse()? })
    }
}

/// An item in the parentheses of `#[nri(…)]`.
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

/// Parses a literal or a path: everything up to the next comma.
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

/// An attribute: its key, an example of its form, and where its value is stored.
pub(crate) struct Attribute {
    pub(crate) key: &'static str,
    example: &'static str,
    assign: fn(&mut Attributes, Value) -> syn::Result<()>,
}

/// The attributes of `#[nri(…)]`.
pub(crate) const ATTRIBUTES: &[Attribute] = &[
    Attribute {
        key: "name",
        example: "name = \"pod-logger\"",
        assign: |to, value| value.single().map(|name| to.name = Some(name)),
    },
    Attribute {
        key: "index",
        example: "index = \"10\"",
        assign: |to, value| value.single().map(|index| to.index = Some(index)),
    },
    Attribute {
        key: "protocol",
        example: "protocol = \"0.11\"",
        assign: |to, value| value.single().map(|protocol| to.protocol = Some(protocol)),
    },
    Attribute {
        key: "handles",
        example: "handles(RunPodSandbox, CreateContainer)",
        assign: |to, value| value.names().map(|names| to.handles = Some(names)),
    },
    Attribute {
        key: "required",
        example: "required(CreateContainer)",
        assign: |to, value| value.names().map(|names| to.required = names),
    },
    Attribute {
        key: "required_fields",
        example: "required_fields(\"adjust.CDI_devices\")",
        assign: |to, value| {
            value.list(|input| input.parse::<LitStr>()).map(|paths| to.required_fields = paths)
        },
    },
    Attribute {
        key: "blocking",
        example: "blocking(CreateContainer, Synchronize)",
        assign: |to, value| value.names().map(|names| to.blocking = names),
    },
    Attribute {
        key: "on_error",
        example: "on_error(StopContainer = \"ignore\")",
        assign: |to, value| value.list(Choice::parse).map(|choices| to.on_error = choices),
    },
    Attribute {
        key: "on_timeout",
        example: "on_timeout(StartContainer = \"ok\")",
        assign: |to, value| value.list(Choice::parse).map(|choices| to.on_timeout = choices),
    },
    Attribute {
        key: "failure_policy",
        example: "failure_policy(fail_request, keep_connected)",
        assign: |to, value| value.names().map(|flags| to.failure_policy = Some(flags)),
    },
    Attribute {
        key: "crate",
        example: "crate = renamed_nri",
        assign: |to, value| value.path().map(|path| to.krate = Some(path)),
    },
    Attribute {
        key: "bound",
        example: "bound(B: Backend)",
        assign: |to, value| value.list(WherePredicate::parse).map(|bound| to.bound = Some(bound)),
    },
];

/// Parses all `#[nri(…)]` of a type. Errors are collected, and invalid items are skipped.
pub(crate) fn parse(attributes: &[syn::Attribute], diagnostics: &mut Diagnostics) -> Attributes {
    let items: Vec<_> = attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("nri"))
        .flat_map(|attribute| items(attribute, diagnostics))
        .collect();
    collect(items, diagnostics)
}

/// Parses the arguments of `#[nri::plugin(…)]` like those of `#[nri(…)]`.
pub(crate) fn parse_arguments(arguments: TokenStream, diagnostics: &mut Diagnostics) -> Attributes {
    let parsed = Punctuated::<Item, Token![,]>::parse_terminated.parse2(arguments);
    let items = written(parsed, diagnostics);
    collect(items, diagnostics)
}

fn collect(items: Vec<Item>, diagnostics: &mut Diagnostics) -> Attributes {
    let mut found = Attributes::default();
    let mut seen = Vec::new();
    for item in items {
        if seen.contains(&item.key) {
            let fact = format!("`{}` is given twice", item.key);
            diagnostics.error(&item.key, fact, "remove one of the two");
            continue;
        }
        seen.push(item.key.clone());
        found.take(item, diagnostics);
    }
    found
}

fn items(attribute: &syn::Attribute, diagnostics: &mut Diagnostics) -> Vec<Item> {
    let Meta::List(list) = &attribute.meta else {
        diagnostics.error(
            &attribute.meta,
            "`#[nri]` has no arguments",
            "write `#[nri(name = \"…\", index = \"…\")]`",
        );
        return Vec::new();
    };
    let items = list.parse_args_with(Punctuated::<Item, Token![,]>::parse_terminated);
    written(items, diagnostics)
}

/// Returns the items, or none after adding the error of the parser.
fn written(
    items: syn::Result<Punctuated<Item, Token![,]>>,
    diagnostics: &mut Diagnostics,
) -> Vec<Item> {
    match items {
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
        let Some(attribute) = ATTRIBUTES.iter().find(|known| known.key == key) else {
            let help = suggest(&key, ATTRIBUTES.iter().map(|known| known.key));
            let fact = format!("`{key}` is not an attribute of a plugin");
            return diagnostics.error(&item.key, fact, help);
        };
        let written = match &item.value {
            Value::None => TokenStream::new(),
            Value::Equals(tokens) | Value::List(tokens) => tokens.clone(),
        };
        if (attribute.assign)(self, item.value).is_err() {
            let ident = item.key;
            let at = quote!(#ident #written);
            let fact = format!("`{key}` has the wrong form");
            diagnostics.error(at, fact, format!("write `{}`", attribute.example));
        }
    }
}

impl Value {
    fn single<T: Parse>(self) -> syn::Result<T> {
        match self {
            Value::Equals(tokens) => syn::parse2(tokens),
            Value::None | Value::List(_) => Err(self.wrong_form()),
        }
    }

    /// Parses a path, bare or in quotes, as in serde's attributes.
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

    /// Returns an error whose text the caller replaces, because it knows the right form.
    fn wrong_form(&self) -> syn::Error {
        syn::Error::new(proc_macro2::Span::call_site(), "wrong form")
    }
}
