//! Methods that the stub would take for handlers, by name, number of parameters and results, and first type.
//!
//! The shapes are those of the interfaces in
//! [pkg/stub](https://github.com/containerd/nri/blob/v0.12.0/pkg/stub/stub.go), with and without the context that they
//! got in v0.3.0. Where a type cannot be told, the method counts: to miss a handler would be worse.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::lexer::Token;
use crate::check::events::EventSet;

/// A method's shape: parameters after the context, and results.
struct Shape {
    parameters: RangeInclusive<usize>,
    results: usize,
}

/// Tokens from one place on.
type Tokens<'s, 't> = &'s [Token<'t>];

/// The events that each type with handler methods handles.
pub(super) fn by_type(tokens: Tokens<'_, '_>) -> BTreeMap<String, EventSet> {
    let mut found: BTreeMap<String, EventSet> = BTreeMap::new();
    let mut depth = 0_usize;
    let mut rest = tokens;
    while let Some((token, after)) = rest.split_first() {
        match token {
            Token::Mark(b'{') => depth += 1,
            Token::Mark(b'}') => depth = depth.saturating_sub(1),
            Token::Word("func") if depth == 0 => {
                if let Some((of, event)) = method(after) {
                    found.entry(of.to_owned()).or_default().insert(event);
                }
            }
            _ => {}
        }
        rest = after;
    }
    found
}

/// Type and name of a handler, from what follows `func`.
fn method<'t>(tokens: Tokens<'_, 't>) -> Option<(&'t str, &'t str)> {
    let (receiver, after) = parenthesised(tokens)?;
    let (Token::Word(name), after) = after.split_first()? else {
        return None;
    };
    let shape = shape(name)?;
    let (parameters, after) = parenthesised(after)?;
    let parameters = without_context(parts(parameters));
    let fits = shape.parameters.contains(&parameters.len())
        && shape.results == results(after)
        && parameters.first().is_some_and(|first| may_be(first, name));
    fits.then_some((receiver_type(receiver)?, name))
}

fn shape(name: &str) -> Option<Shape> {
    let (parameters, results) = match name {
        "RunPodSandbox"
        | "StopPodSandbox"
        | "RemovePodSandbox"
        | "PostUpdatePodSandbox"
        | "ValidateContainerAdjustment" => (1..=1, 1),
        "UpdatePodSandbox" => (3..=3, 1),
        "CreateContainer" => (2..=2, 3),
        // Early stubs pass no resources.
        "UpdateContainer" => (2..=3, 2),
        "StopContainer" => (2..=2, 2),
        "PostCreateContainer"
        | "StartContainer"
        | "PostStartContainer"
        | "PostUpdateContainer"
        | "RemoveContainer" => (2..=2, 1),
        _ => return None,
    };
    Some(Shape {
        parameters,
        results,
    })
}

/// What stands in the parentheses that follow at once, and what follows them.
fn parenthesised<'s, 't>(tokens: Tokens<'s, 't>) -> Option<(Tokens<'s, 't>, Tokens<'s, 't>)> {
    let (Token::Mark(b'('), inside) = tokens.split_first()? else {
        return None;
    };
    let mut depth = 1_usize;
    // A declaration is short: text that never closes must not be searched to its end once a `func`.
    for (place, token) in inside.iter().enumerate().take(1000) {
        depth = nested(depth, token);
        if depth == 0 {
            return Some((inside.get(..place)?, inside.get(place + 1..)?));
        }
    }
    None
}

fn nested(depth: usize, token: &Token<'_>) -> usize {
    match token {
        Token::Mark(b'(' | b'[' | b'{') => depth + 1,
        Token::Mark(b')' | b']' | b'}') => depth.saturating_sub(1),
        _ => depth,
    }
}

/// The parts between commas on the outermost level.
fn parts<'s, 't>(tokens: Tokens<'s, 't>) -> Vec<Tokens<'s, 't>> {
    let mut depth = 0;
    let parts = tokens.split(|token| {
        depth = nested(depth, token);
        depth == 0 && *token == Token::Mark(b',')
    });
    parts.filter(|part| !part.is_empty()).collect()
}

fn without_context<'s, 't>(mut parts: Vec<Tokens<'s, 't>>) -> Vec<Tokens<'s, 't>> {
    let first = parts.first().and_then(|first| first.last());
    if first == Some(&Token::Word("Context")) {
        parts.remove(0);
    }
    parts
}

/// How many results are declared between the parameters and the body.
fn results(after: Tokens<'_, '_>) -> usize {
    match after.first() {
        None | Some(Token::Mark(b'{')) => 0,
        Some(Token::Mark(b'(')) => {
            parenthesised(after).map_or(0, |(results, _)| parts(results).len())
        }
        Some(_) => 1,
    }
}

/// Whether the first parameter may be what the stub passes: a pod, or the request to validate.
fn may_be(parameter: Tokens<'_, '_>, method: &str) -> bool {
    let expected = match method {
        "ValidateContainerAdjustment" => "ValidateContainerAdjustmentRequest",
        _ => "PodSandbox",
    };
    let Some(Token::Word(last)) = parameter.last() else {
        return false;
    };
    let foreign = parameter.contains(&Token::Mark(b'.'));
    *last == expected || !foreign && !is_builtin(last)
}

fn is_builtin(name: &str) -> bool {
    let builtin = [
        "any", "bool", "byte", "error", "int", "int32", "int64", "string", "uint", "uint64",
    ];
    builtin.contains(&name)
}

/// The type of a receiver: `plugin` of `p *plugin`, `*plugin`, `p *plugin[T]`.
fn receiver_type<'t>(receiver: Tokens<'_, 't>) -> Option<&'t str> {
    let plain = receiver
        .iter()
        .take_while(|token| **token != Token::Mark(b'['));
    plain.fold(None, |last, token| match token {
        Token::Word(word) => Some(*word),
        _ => last,
    })
}

#[cfg(test)]
mod tests {
    use super::super::lexer;
    use super::*;

    fn found(text: &str) -> Vec<(String, String)> {
        let tokens: Vec<_> = lexer::tokens(text).collect();
        let types = by_type(&tokens).into_iter();
        types
            .map(|(of, events)| (of, events.names().join(" ")))
            .collect()
    }

    fn one(of: &str, events: &str) -> Vec<(String, String)> {
        vec![(of.to_owned(), events.to_owned())]
    }

    #[test]
    fn handlers_of_every_shape_are_found() {
        let text = "
            func (p *plugin) RunPodSandbox(_ context.Context, pod *api.PodSandbox) error { return nil }
            func (plugin) StopPodSandbox(pod *api.PodSandbox) (err error) {}
            func (p *plugin) CreateContainer(
                ctx context.Context,
                pod *api.PodSandbox, ctr *api.Container,
            ) (*api.ContainerAdjustment, []*api.ContainerUpdate, error) {}
            func (p plugin) UpdateContainer(ctx context.Context, pod *Pod, c *api.Container, r *api.LinuxResources) ([]*api.ContainerUpdate, error) {}
            func (p plugin) ValidateContainerAdjustment(ctx context.Context, r *api.ValidateContainerAdjustmentRequest) error {}";
        let all = "RunPodSandbox StopPodSandbox CreateContainer UpdateContainer ValidateContainerAdjustment";
        assert_eq!(found(text), one("plugin", all));
        let generic = "func (g *gen[T]) RemoveContainer(ctx context.Context, a *api.PodSandbox, b *api.Container) error {";
        assert_eq!(found(generic), one("gen", "RemoveContainer"));
    }

    #[test]
    fn methods_of_another_shape_are_none() {
        for text in [
            "func (s *cri) RunPodSandbox(ctx context.Context, r *v1.RunPodSandboxRequest) (*v1.RunPodSandboxResponse, error) {}",
            "func (s *cri) StopContainer(ctx context.Context, id string, timeout int64) error {}",
            "func (s *cri) StartContainer(id string) error {}",
            "func (s *x) StartContainer(ctx context.Context, pod string, ctr string) error {}",
            "func (s *x) RunPodSandbox(ctx context.Context, pod *api.PodSandbox) {}",
            "func RunPodSandbox(ctx context.Context, pod *api.PodSandbox) error {}",
            "type i interface { RunPodSandbox(context.Context, *api.PodSandbox) error }",
            "// func (p *plugin) RunPodSandbox(pod *api.PodSandbox) error {}",
            "var x = `func (p *plugin) RunPodSandbox(pod *api.PodSandbox) error {}`",
            "func f() { func (p *plugin) RunPodSandbox(pod *api.PodSandbox) error {} }",
            "func (p *plugin) RunPodSandbox(",
            "func (",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }
}
