//! How a promise names its proof:
//!
//! | proof | what it names |
//! |---|---|
//! | `test:<package>::<path>` | a Rust test. For a unit test the path is its own (`card::tests::is_lost`); for a test under `tests/` it begins with the file's name (`watch::resizes`). |
//! | `vitest:<file>#<name>` | a test of the page, the file from `ui/` |
//! | `bench:<name>` | a bench of `make bench`, by its name in the table |
//! | `script:<file>` | a check script, from the repository's root, that the test run starts by itself |

use std::str::FromStr;

/// A proof, read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Proof {
    /// A Rust test.
    Test {
        /// The package, with `-` as in its manifest.
        package: String,
        /// The test's path, after the file's name for one under `tests/`.
        path: String,
    },
    /// A test of the page.
    Vitest {
        /// From `ui/`.
        file: String,
        /// As in `test("…")`.
        name: String,
    },
    /// A bench.
    Bench(
        /// Its name in the table.
        String,
    ),
    /// A check script.
    Script(
        /// From the repository's root.
        String,
    ),
}

/// Why a proof cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ProofError {
    /// The first word is none of the four.
    #[error("a proof starts with test:, bench:, vitest: or script:")]
    Kind,
    /// `test:` without a package and a path.
    #[error("a test is named test:<package>::<path>")]
    Test,
    /// `vitest:` without a file and a name.
    #[error("a test of the page is named vitest:<file>#<name>")]
    Vitest,
}

impl Proof {
    /// A Rust test. Crates' names are written with `_` in code and with `-` in manifests; both mean the same.
    #[must_use]
    pub fn test(package: &str, path: &str) -> Self {
        Self::Test { package: package.replace('_', "-"), path: path.to_owned() }
    }
}

impl FromStr for Proof {
    type Err = ProofError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once(':').ok_or(ProofError::Kind)? {
            ("test", rest) => match rest.split_once("::") {
                Some((package, path)) if !package.is_empty() && !path.is_empty() => {
                    Ok(Self::test(package, path))
                }
                _ => Err(ProofError::Test),
            },
            ("vitest", rest) => match rest.split_once('#') {
                Some((file, name)) if !file.is_empty() && !name.is_empty() => {
                    Ok(Self::Vitest { file: file.to_owned(), name: name.to_owned() })
                }
                _ => Err(ProofError::Vitest),
            },
            ("bench", name) if !name.is_empty() => Ok(Self::Bench(name.to_owned())),
            ("script", file) if !file.is_empty() => Ok(Self::Script(file.to_owned())),
            _ => Err(ProofError::Kind),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_proof_is_read() {
        let read = |text: &str| text.parse::<Proof>();
        let test = Proof::Test { package: "fanfare-rig".into(), path: "card::tests::lost".into() };
        assert_eq!(read("test:fanfare-rig::card::tests::lost"), Ok(test.clone()));
        assert_eq!(read("test:fanfare_rig::card::tests::lost"), Ok(test));
        assert_eq!(
            read("vitest:src/a.test.ts#says: the name"),
            Ok(Proof::Vitest { file: "src/a.test.ts".into(), name: "says: the name".into() })
        );
        assert_eq!(read("bench:sweep_calls"), Ok(Proof::Bench("sweep_calls".into())));
        assert_eq!(read("script:scripts/x.sh"), Ok(Proof::Script("scripts/x.sh".into())));
    }

    #[test]
    fn what_is_no_proof_is_refused() {
        let cases = [
            ("", ProofError::Kind),
            ("fanfare-rig::lost", ProofError::Kind),
            ("bench:", ProofError::Kind),
            ("test:fanfare-rig", ProofError::Test),
            ("test:::lost", ProofError::Test),
            ("test:fanfare-rig::", ProofError::Test),
            ("vitest:src/a.test.ts", ProofError::Vitest),
            ("vitest:#name", ProofError::Vitest),
        ];
        for (text, error) in cases {
            assert_eq!(text.parse::<Proof>(), Err(error), "{text}");
        }
    }
}
