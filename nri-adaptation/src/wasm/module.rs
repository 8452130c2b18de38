//! A loaded module.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use wasmi::{
    CompilationMode, Config, Engine, Extern, Func, Instance, Linker, Memory, Module as Code, Store,
};

use super::error::ModuleError;
use super::host::Host;
use super::limits::{self, Limit};
use super::run::{START_FUEL, call};
use super::{exports, imports, wasi};
use nri::wire::MAX_MESSAGE;

/// The version of the calling convention.
const API_VERSION: u64 = 1;

/// Marks the length of an answer that is an error message.
const ERROR: u32 = 1 << 31;

/// The RPCs that a module has functions for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rpcs<'r> {
    /// All of these. A module without one of them does not load.
    All(&'r [&'static str]),
    /// Any of these.
    Any(&'r [&'static str]),
}

/// A module that is ready to be called.
pub(super) struct Module {
    store: Store<Host>,
    memory: Memory,
    malloc: Func,
    free: Func,
    functions: BTreeMap<&'static str, (String, Func)>,
}

impl Module {
    /// Compiles and starts a module, and finds its functions for these RPCs.
    ///
    /// # Errors
    ///
    /// Returns an error if the code is invalid, lacks a function or imports unknown ones, or exceeds a limit.
    pub(super) fn load(
        plugin: &str,
        code: &[u8],
        rpcs: Rpcs<'_>,
        memory: usize,
        limit: Limit,
    ) -> Result<Self, ModuleError> {
        let mut config = Config::default();
        // A call that runs out of fuel while a function is compiled cannot go on, so all are compiled now.
        config
            .consume_fuel(true)
            .wasm_multi_memory(false)
            .compilation_mode(CompilationMode::Eager);
        let engine = Engine::new(&config);
        let code = compile(&engine, code)?;
        let host = Host {
            plugin: plugin.into(),
            limit,
            epoch: Instant::now(),
            engine: limits::store(memory),
        };
        let mut store = Store::new(&engine, host);
        store.limiter(|host| &mut host.engine);
        store.set_fuel(START_FUEL)?;
        let mut linker = Linker::new(&engine);
        imports::define(&mut linker)?;
        wasi::define(&mut linker, &code)?;
        let instance = linker.instantiate_and_start(&mut store, &code)?;
        if let Some(initialize) = instance.get_func(&store, "_initialize") {
            call(&mut store, ("_initialize", initialize), &[])?;
        }
        check_version(&mut store, instance)?;
        Self::with_functions(store, instance, rpcs)
    }

    fn with_functions(
        store: Store<Host>,
        instance: Instance,
        rpcs: Rpcs<'_>,
    ) -> Result<Self, ModuleError> {
        let (Rpcs::All(names) | Rpcs::Any(names)) = rpcs;
        let mut functions = BTreeMap::new();
        for rpc in names {
            let name = exports::function(rpc);
            match (exported(&store, instance, &name), rpcs) {
                (Ok(function), _) => drop(functions.insert(*rpc, (name, function))),
                (Err(error), Rpcs::All(_)) => return Err(error),
                (Err(_), Rpcs::Any(_)) => {}
            }
        }
        let memory = instance.get_export(&store, "memory");
        Ok(Module {
            memory: memory
                .and_then(Extern::into_memory)
                .ok_or_else(|| ModuleError::NotExported("memory".to_owned()))?,
            malloc: exported(&store, instance, "malloc")?,
            free: exported(&store, instance, "free")?,
            functions,
            store,
        })
    }

    /// Returns the RPCs that it has functions for, in alphabetical order.
    pub(super) fn rpcs(&self) -> Vec<&'static str> {
        self.functions.keys().copied().collect()
    }

    /// Sends a request, within the limits. Returns the answer.
    ///
    /// # Errors
    ///
    /// Returns [`ModuleError::Plugin`] with an error of the plugin. After any other error the module must not be
    /// called again.
    pub(super) fn call(
        &mut self,
        rpc: &str,
        request: &[u8],
        limit: Limit,
    ) -> Result<Vec<u8>, ModuleError> {
        self.store.data_mut().limit = limit;
        let missing = || ModuleError::NotExported(exports::function(rpc));
        let (name, function) = self.functions.get(rpc).cloned().ok_or_else(missing)?;
        let address = self.pass(request)?;
        let arguments = [u64::from(address), request.len() as u64];
        let packed = call(&mut self.store, (&name, function), &arguments)?;
        let packed = packed.ok_or(ModuleError::Signature(name))?;
        let answer = self.fetch(packed);
        self.free(address)?;
        answer
    }

    /// Writes a request to a buffer of the module. Returns its address, 0 for an empty request.
    fn pass(&mut self, request: &[u8]) -> Result<u32, ModuleError> {
        if request.is_empty() {
            return Ok(0);
        }
        let length = request.len() as u64;
        let address = call(&mut self.store, ("malloc", self.malloc), &[length])?;
        let address = address.ok_or_else(|| ModuleError::Signature("malloc".to_owned()))? as u32;
        let written = self
            .memory
            .write(&mut self.store, address as usize, request);
        // No buffer begins at 0, so a module without memory left may return that.
        match written {
            Ok(()) if address != 0 => Ok(address),
            _ => Err(outside("request", address, length as u32)),
        }
    }

    /// Reads and frees the answer that a function has returned: the address, and the length with the error flag.
    fn fetch(&mut self, packed: u64) -> Result<Vec<u8>, ModuleError> {
        let (address, flagged) = ((packed >> 32) as u32, packed as u32);
        let length = flagged & !ERROR;
        if length as usize > MAX_MESSAGE {
            return Err(ModuleError::LongAnswer(length));
        }
        let start = address as usize;
        let bytes = self.memory.data(&self.store);
        let bytes = bytes.get(start..start.saturating_add(length as usize));
        let answer = bytes
            .ok_or_else(|| outside("answer", address, length))?
            .to_vec();
        self.free(address)?;
        if flagged & ERROR == 0 {
            return Ok(answer);
        }
        let message = String::from_utf8_lossy(&answer).into_owned();
        Err(ModuleError::Plugin(message))
    }

    fn free(&mut self, address: u32) -> Result<(), ModuleError> {
        if address == 0 {
            return Ok(());
        }
        call(&mut self.store, ("free", self.free), &[u64::from(address)]).map(drop)
    }
}

/// Compiles the code of a module. The engine has assertions that some invalid code fails.
fn compile(engine: &Engine, code: &[u8]) -> Result<Code, ModuleError> {
    let compiled = catch_unwind(AssertUnwindSafe(|| Code::new(engine, code)));
    let panicked =
        |_| ModuleError::Engine("the engine panicked while it compiled the module".into());
    Ok(compiled.map_err(panicked)??)
}

fn check_version(store: &mut Store<Host>, instance: Instance) -> Result<(), ModuleError> {
    let name = "plugin_api_version";
    let function = exported(store, instance, name)?;
    match call(store, (name, function), &[])? {
        Some(API_VERSION) => Ok(()),
        Some(plugin) => Err(ModuleError::Version {
            host: API_VERSION,
            plugin,
        }),
        None => Err(ModuleError::Signature(name.to_owned())),
    }
}

fn exported(store: &Store<Host>, instance: Instance, name: &str) -> Result<Func, ModuleError> {
    let function = instance.get_func(store, name);
    function.ok_or_else(|| ModuleError::NotExported(name.to_owned()))
}

fn outside(what: &'static str, address: u32, length: u32) -> ModuleError {
    ModuleError::OutOfMemory {
        what,
        address,
        length,
    }
}
