//! Random requests and answers, by seed.

use nri::api::{
    ContainerUpdate, PluginInstance, PodSandbox, SecurityProfile,
    ValidateContainerAdjustmentRequest,
};
use nri_adaptation::merge::CreateCollector;
use nri_adaptation::validate::DefaultValidator;
use nri_tests::adjustments::{Adjustments, Density};

/// The containers that plugins update, and last the one that is created.
pub(crate) const OTHERS: [&str; 3] = ["other-0", "other-1", "new"];

/// Returns the cases of all seeds.
pub(crate) fn cases<T>(case: impl Fn(u64) -> T) -> Vec<T> {
    let first = number("NRI_MERGE_SEED", 1);
    let count = number("NRI_MERGE_CASES", 4_000);
    (first..first + count).map(case).collect()
}

/// Returns the number in a variable of the environment.
pub(crate) fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.parse().expect(name))
}

/// Returns how rich the messages of a seed are: from nearly empty ones, which rarely conflict, to
/// full ones.
pub(crate) fn density(seed: u64) -> Density {
    Density {
        field: [0.15, 0.3, 0.45, 0.6][(seed % 4) as usize],
        names: [4, 12, 60][(seed % 3) as usize],
    }
}

/// Returns the same for updates, which have fewer fields that could conflict.
pub(crate) fn update_density(seed: u64) -> Density {
    let density = density(seed);
    Density { field: density.field + 0.15, ..density }
}

/// Returns the number of plugins that answer in the case of a seed.
pub(crate) fn plugins(seed: u64) -> usize {
    1 + (seed as usize / 4) % 5
}

pub(crate) fn name(number: usize) -> String {
    format!("{number:02}-p{number}")
}

pub(crate) fn updates(random: &mut Adjustments, seed: u64) -> Vec<Vec<ContainerUpdate>> {
    (0..plugins(seed)).map(|_| random.updates(&OTHERS)).collect()
}

/// Returns a default validator, and a request that it accepts or rejects.
pub(crate) fn validation(seed: u64) -> (DefaultValidator, ValidateContainerAdjustmentRequest) {
    let mut random = Adjustments::new(seed, density(seed));
    let container = random.container("new");
    let mut collector = CreateCollector::new(container.clone());
    let answers = (0..plugins(seed)).map(|_| random.created(&OTHERS[..2]));
    for (number, answer) in answers.enumerate() {
        let mut tried = collector.clone();
        if tried.apply(&name(number), answer).is_ok() {
            collector = tried;
        }
    }
    let mut flag = || random.below(3) == 0;
    let mut validator = DefaultValidator::default()
        .reject_oci_hooks(flag())
        .reject_runtime_default_seccomp(flag())
        .reject_unconfined_seccomp(flag())
        .reject_custom_seccomp(flag())
        .reject_namespaces(flag())
        .reject_sysctls(flag());
    let required = ["p0", "01-p1", "02-p1", "absent"];
    let count = random.below(required.len());
    validator.required_plugins = required[..count].iter().map(ToString::to_string).collect();
    let mut container = container;
    let kind = random.below(4);
    if kind < 3 {
        let linux = container.linux.get_or_insert_default();
        linux.seccomp_profile =
            Some(SecurityProfile { profile_type: kind as i32, ..SecurityProfile::default() });
    }
    let mut pod = PodSandbox::default();
    if random.below(2) == 0 {
        validator.tolerate_missing_annotation = "tolerate".to_owned();
        let values = ["true", "0", "yes", "T"];
        let value = values[random.below(values.len())];
        let keys = ["tolerate", "tolerate/pod", "tolerate/container.web"];
        pod.annotations.insert(keys[random.below(keys.len())].to_owned(), value.to_owned());
    }
    let lists = ["[p0]", "- absent\n- p1", "[", "p0", "", "[1, true]"];
    if let Some(list) = lists.get(random.below(lists.len() * 2)) {
        let key = nri_adaptation::validate::REQUIRED_PLUGINS_ANNOTATION;
        pod.annotations.insert(key.to_owned(), (*list).to_owned());
    }
    let created = collector.finish();
    let plugins = (0..3)
        .map(|number| PluginInstance { name: format!("p{number}"), index: format!("{number:02}") });
    let request = ValidateContainerAdjustmentRequest {
        pod: Some(pod),
        container: Some(container),
        adjust: Some(created.adjust),
        update: created.updates,
        owners: Some((&created.owners).into()),
        plugins: plugins.collect(),
    };
    (validator, request)
}
