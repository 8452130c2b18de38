//! OCI hooks, which are appended to those of the spec.

use oci_spec::runtime::{Hook as OciHook, Hooks as OciHooks, Spec};

use crate::oci::names::some;
use nri::api::{Hook, Hooks};
use nri::optional::Optional;

pub(super) fn apply(spec: &mut Spec, asked: &Hooks) {
    if *asked == Hooks::default() {
        return;
    }
    let Hooks {
        prestart,
        create_runtime,
        create_container,
        start_container,
        poststart,
        poststop,
    } = asked;
    let hooks = spec.hooks_mut().get_or_insert_default();
    append(deprecated_prestart(hooks), prestart);
    append(hooks.create_runtime_mut(), create_runtime);
    append(hooks.create_container_mut(), create_container);
    append(hooks.start_container_mut(), start_container);
    append(hooks.poststart_mut(), poststart);
    append(hooks.poststop_mut(), poststop);
}

#[allow(deprecated, reason = "plugins may still ask for these hooks")]
fn deprecated_prestart(hooks: &mut OciHooks) -> &mut Option<Vec<OciHook>> {
    hooks.prestart_mut()
}

fn append(hooks: &mut Option<Vec<OciHook>>, asked: &[Hook]) {
    if !asked.is_empty() {
        hooks.get_or_insert_default().extend(asked.iter().map(hook));
    }
}

fn hook(asked: &Hook) -> OciHook {
    let Hook {
        path,
        args,
        env,
        timeout,
    } = asked;
    let mut hook = OciHook::default();
    hook.set_path(path.into())
        .set_args(some(args.clone()))
        .set_env(some(env.clone()))
        .set_timeout(timeout.get());
    hook
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::oci::fixtures::{applied, raw, spec};
    use nri::adjust::Adjustment;
    use nri::api::ContainerAdjustment;

    #[test]
    fn hooks_of_every_kind_are_appended() {
        let hook = |name: &str| Hook {
            path: format!("/bin/{name}"),
            args: vec![name.to_owned(), "-v".to_owned()],
            env: vec!["A=1".to_owned()],
            timeout: Some(5.into()),
        };
        let hooks = Hooks {
            prestart: vec![hook("prestart")],
            create_runtime: vec![hook("createRuntime"), hook("second")],
            create_container: vec![hook("createContainer")],
            start_container: vec![hook("startContainer")],
            poststart: vec![hook("poststart")],
            poststop: vec![hook("poststop")],
        };
        let adjustment = raw(ContainerAdjustment {
            hooks: Some(hooks),
            ..ContainerAdjustment::default()
        });
        let before = spec(json!({"hooks": {"createRuntime": [{"path": "/first"}]}}));
        let after = applied(before, &adjustment).unwrap();
        let expected = |name: &str| json!({"path": format!("/bin/{name}"), "args": [name, "-v"], "env": ["A=1"], "timeout": 5});
        for name in [
            "prestart",
            "createContainer",
            "startContainer",
            "poststart",
            "poststop",
        ] {
            assert_eq!(after["hooks"][name], json!([expected(name)]));
        }
        assert_eq!(
            after["hooks"]["createRuntime"],
            json!([{"path": "/first"}, expected("createRuntime"), expected("second")])
        );
    }

    #[test]
    fn no_hooks_change_nothing() {
        let adjustment = raw(ContainerAdjustment {
            hooks: Some(Hooks::default()),
            ..ContainerAdjustment::default()
        });
        let after = applied(spec(json!({})), &adjustment).unwrap();
        assert_eq!(after, applied(spec(json!({})), &Adjustment::new()).unwrap());
    }
}
