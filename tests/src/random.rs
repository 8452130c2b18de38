//! Random schemas and random changes to them, as proto text.
//!
//! Types are identified by number and printed by name, so that a type may be renamed, nested or
//! moved without breaking its users. If a file cannot express something (a type of a later file,
//! `required` in proto3), a valid substitute is printed, so that nearly every schema compiles.

mod ast;
mod change;
mod generate;
mod names;
mod place;
mod print;

use std::path::Path;

use fastrand::Rng;

/// A schema before and after some changes.
pub struct SchemaCase {
    before: ast::Set,
    after: ast::Set,
    seed: u64,
    /// The changes, in order.
    pub changes: Vec<&'static str>,
}

impl SchemaCase {
    /// Returns the case for a seed. The same seed always gives the same case.
    pub fn new(seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let before = generate::set(&mut rng);
        let mut after = before.clone();
        let changes = (0..rng.usize(1..=6)).map(|_| change::apply(&mut after, &mut rng)).collect();
        Self { before, after, seed, changes }
    }

    /// Writes both sides to the folders `before` and `after` below `root`.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be written.
    pub fn write(&self, root: &Path) -> std::io::Result<()> {
        for (side, set) in [("before", &self.before), ("after", &self.after)] {
            for (name, text) in print::files(set, self.seed) {
                let path = root.join(side).join(name);
                std::fs::create_dir_all(path.parent().unwrap_or(root))?;
                std::fs::write(path, text)?;
            }
        }
        Ok(())
    }
}
