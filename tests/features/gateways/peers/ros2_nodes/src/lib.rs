//! What both nodes share: their arguments, and a report that people and tests read.

use std::error::Error;

/// Checks that were made, of which none may fail.
#[derive(Default)]
pub struct Report {
    failed: Vec<String>,
}

impl Report {
    /// Print whether something is so, and remember if it is not.
    pub fn check(&mut self, what: &str, is_so: bool) {
        println!("{} {what}", if is_so { "ok" } else { "MISSING" });
        if !is_so {
            self.failed.push(what.to_owned());
        }
    }

    /// Return an error if a check failed.
    pub fn end(self) -> Result<(), Box<dyn Error + Send + Sync>> {
        if self.failed.is_empty() {
            println!("all is there");
            return Ok(());
        }
        Err(format!("missing: {}", self.failed.join(", ")).into())
    }
}

/// Return where the router of Zenoh is, "" for DDS, and the domain.
pub fn arguments() -> Result<(String, usize), Box<dyn Error + Send + Sync>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [place, domain] = words.as_slice() else {
        return Err("expected the router's endpoint and the domain".into());
    };
    Ok((place.clone(), domain.parse()?))
}
