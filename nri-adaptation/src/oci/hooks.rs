//! OCI hooks, which are appended to those of the spec.

use oci_spec::runtime::{Hook as OciHook, Hooks as OciHooks, Spec};

use crate::oci::parts::some;
use nri::api::{Hook, Hooks};
use nri::optional::Optional;

pub(super) fn apply(spec: &mut Spec, asked: &Hooks) {
    if *asked == Hooks::default() {
        return;
    }
    let hooks = spec.hooks_mut().get_or_insert_default();
    append(deprecated_prestart(hooks), &asked.prestart);
    append(hooks.create_runtime_mut(), &asked.create_runtime);
    append(hooks.create_container_mut(), &asked.create_container);
    append(hooks.start_container_mut(), &asked.start_container);
    append(hooks.poststart_mut(), &asked.poststart);
    append(hooks.poststop_mut(), &asked.poststop);
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
    let mut hook = OciHook::default();
    hook.set_path((&asked.path).into())
        .set_args(some(asked.args.clone()))
        .set_env(some(asked.env.clone()))
        .set_timeout(asked.timeout.get());
    hook
}
