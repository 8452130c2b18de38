//! The modules around the items: one, or one for each package.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::quote;
use syn::Ident;

use super::messages::Messages;

/// The tool that must not format the module.
const RUSTFMT: &str = "rustfmt";

/// Returns the items in a module, and a re-export of them.
///
/// If there are several packages, their modules are public, so that referenced items can be named.
pub(super) fn emit(
    name: &str,
    is_nested: bool,
    messages: &Messages,
    items: &TokenStream,
) -> TokenStream {
    let about = format!(" Bindings for NRI {name}, generated.");
    let (visibility, module) = if is_nested {
        (quote!(pub), messages.free("packages"))
    } else {
        (quote!(), messages.free("generated"))
    };
    let mut root = Package::default();
    let path: Vec<Ident> = if is_nested { idents(&messages.module) } else { Vec::new() };
    root.at(&path).items.extend(items.clone());
    for (of, others) in &messages.others {
        root.at(&idents(of)).items.extend(others.clone());
    }
    let content = root.emit();
    // A module of this name would be used instead of the tool.
    let is_tool = messages.free(RUSTFMT) == RUSTFMT && !root.at(&path).has(RUSTFMT);
    let skip = is_tool.then(|| quote!(#[rustfmt::skip]));
    quote! {
        #[allow(clippy::all, clippy::nursery, clippy::pedantic)]
        #[allow(dead_code, deprecated, missing_docs, nonstandard_style, unreachable_pub, unused_qualifications, unused_variables)]
        #[doc = #about]
        #skip
        #visibility mod #module { #content }

        #[allow(unreachable_pub, unused_imports)]
        pub use self::#module #(::#path)* ::*;
    }
}

/// The items of a package, and the packages in it.
#[derive(Default)]
struct Package {
    items: TokenStream,
    packages: BTreeMap<Ident, Package>,
}

impl Package {
    fn at(&mut self, path: &[Ident]) -> &mut Package {
        path.iter().fold(self, |package, part| package.packages.entry(part.clone()).or_default())
    }

    fn has(&self, package: &str) -> bool {
        self.packages.keys().any(|known| known == package)
    }

    fn emit(&self) -> TokenStream {
        let items = &self.items;
        let packages = self.packages.iter().map(|(name, package)| {
            let (content, about) = (package.emit(), format!(" Package `{name}`."));
            quote! { #[doc = #about] pub mod #name { #content } }
        });
        quote! { #items #(#packages)* }
    }
}

/// Returns the parts of a module path, which prost-build escaped.
fn idents(module: &prost_build::Module) -> Vec<Ident> {
    module.parts().filter_map(|part| syn::parse_str(part).ok()).collect()
}
