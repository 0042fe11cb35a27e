//! NEF3, the container file that a compiler for Neo N3 writes for a contract, and the manifest next to it.
//!
//! | field | bytes | rule |
//! |---|---|---|
//! | magic | 4 | `NEF3` |
//! | compiler | 64 | UTF-8, padded with zeros |
//! | source | length and text | at most 256 bytes of UTF-8 |
//! | reserved | 1 | zero |
//! | tokens | number and tokens | at most 128 |
//! | reserved | 2 | zero |
//! | script | length and bytes | 1 to 131070 bytes |
//! | checksum | 4 | the first bytes of SHA-256 of SHA-256 of all bytes before |
//!
//! A token is the hash of a contract (20 bytes), the name of a method (length and at most 32 bytes of UTF-8,
//! no leading `_`), its number of parameters (2), whether it has a result (1: 0 or 1) and call flags (1).
//! Numbers are little-endian. A length or count is one byte below 0xfd; or 0xfd, 0xfe or 0xff, followed by 2,
//! 4 or 8 bytes. Nothing follows the checksum, and the whole file has at most 131070 bytes.
//!
//! The manifest says where methods start in the script; nothing else in it concerns the script.

use std::fmt;
use std::ops::RangeInclusive;

use sha2::{Digest, Sha256};

use crate::model::{bytes_key, escaped};

mod manifest;

pub use self::manifest::{ContractManifest, MANIFEST_SIZE, ManifestError, Method, Parameter};

/// The machine that executes the scripts of containers.
pub const MACHINE: &str = "neo3";

const MAGIC: [u8; 4] = *b"NEF3";
/// The maximum size of a container, in bytes.
pub const FILE_SIZE: usize = 131_070;
const COMPILER_SIZE: usize = 64;
const SOURCE_SIZE: RangeInclusive<u64> = 0..=256;
const TOKENS: RangeInclusive<u64> = 0..=128;
const METHOD_SIZE: RangeInclusive<u64> = 0..=32;
const SCRIPT_SIZE: RangeInclusive<u64> = 1..=131_070;

/// A contract as its compiler wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nef {
    /// Name and version of the compiler.
    pub compiler: String,
    /// Where the source code is, usually a URL; may be empty.
    pub source: String,
    /// The methods of other contracts, which the script calls by index.
    pub tokens: Vec<Token>,
    /// The program.
    pub script: Vec<u8>,
    /// The checksum, as stored in the file.
    pub checksum: [u8; 4],
}

/// A method of another contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// The hash of the contract, as stored in the file: least significant byte first.
    pub contract: [u8; 20],
    /// The name of the method.
    pub method: String,
    /// How many parameters it takes.
    pub parameters: u16,
    /// Whether it returns a result.
    pub has_result: bool,
    /// What it may do.
    pub flags: CallFlags,
}

/// What a called contract may do: a set of rights, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallFlags(u8);

/// Rights and named sets of rights, larger sets first.
const CALL_FLAGS: &[(u8, &str)] = &[
    (15, "All"),
    (5, "ReadOnly"),
    (3, "States"),
    (8, "AllowNotify"),
    (4, "AllowCall"),
    (2, "WriteStates"),
    (1, "ReadStates"),
];

/// Where a container is damaged, and how.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("byte {at}: {what}; expected {expected}")]
pub struct NefError {
    /// Offset in the file.
    pub at: usize,
    /// What is wrong.
    pub what: String,
    /// What was expected instead.
    pub expected: String,
}

/// Whether a file is a container, possibly damaged after its first four bytes.
pub fn is_nef(file: &[u8]) -> bool {
    file.starts_with(&MAGIC)
}

impl Nef {
    /// Reads a container. The error is the first place where the bytes break a rule of the format.
    pub fn read(file: &[u8]) -> Result<Nef, NefError> {
        if file.len() > FILE_SIZE {
            let what = format!("the file has {} bytes", file.len());
            return Err(error(FILE_SIZE, what, format!("at most {FILE_SIZE}")));
        }
        let mut reader = NefReader { file, at: 0 };
        reader.magic()?;
        let compiler = reader.compiler()?;
        let source = reader.text("source", SOURCE_SIZE)?;
        reader.reserved(1)?;
        let tokens = reader.tokens()?;
        reader.reserved(2)?;
        let script = reader.sized("script", SCRIPT_SIZE)?.to_vec();
        let checksum = reader.checksum()?;
        reader.end()?;
        Ok(Nef { compiler, source, tokens, script, checksum })
    }
}

/// Formatted for people, in one line. The hash is written as a number, so its last byte comes first.
impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Token { mut contract, method, parameters, has_result, flags } = self.clone();
        contract.reverse();
        let result = if has_result { "a result" } else { "no result" };
        let (contract, method) = (bytes_key(&contract), escaped(&method));
        write!(f, "contract {contract}, method {method}, parameters {parameters}, {result}, flags {flags}")
    }
}

impl CallFlags {
    /// The flags with these bits; `None` if one of them has no meaning.
    pub fn from_bits(bits: u8) -> Option<CallFlags> {
        (bits & !ALL_FLAGS == 0).then_some(CallFlags(bits))
    }

    /// The bits, as stored in a token.
    pub fn bits(self) -> u8 {
        self.0
    }
}

const ALL_FLAGS: u8 = CALL_FLAGS[0].0;

/// The names of the largest named sets that make up this one.
impl fmt::Display for CallFlags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        let mut names = Vec::new();
        for (bits, name) in CALL_FLAGS {
            if rest & bits == *bits {
                rest &= !bits;
                names.push(*name);
            }
        }
        f.write_str(if names.is_empty() { "None".to_owned() } else { names.join("+") }.as_str())
    }
}

struct NefReader<'f> {
    file: &'f [u8],
    at: usize,
}

impl<'f> NefReader<'f> {
    fn magic(&mut self) -> Result<(), NefError> {
        match self.array("magic")? {
            MAGIC => Ok(()),
            other => Err(error(0, format!("the magic is {}", bytes_key(&other)), bytes_key(&MAGIC))),
        }
    }

    fn compiler(&mut self) -> Result<String, NefError> {
        let at = self.at;
        let field = self.take("compiler", COMPILER_SIZE)?;
        let length = field.iter().position(|byte| *byte == 0).unwrap_or(COMPILER_SIZE);
        let (text, filling) = field.split_at(length);
        zeros(filling, at + length, "after the compiler's name")?;
        utf8(text, at, "compiler")
    }

    fn reserved(&mut self, length: usize) -> Result<(), NefError> {
        let at = self.at;
        zeros(self.take("reserved bytes", length)?, at, "in a reserved byte")
    }

    fn tokens(&mut self) -> Result<Vec<Token>, NefError> {
        let count = self.number("number of tokens", TOKENS)?;
        let token = |index| {
            self.token().map_err(|error| NefError { what: format!("token {index}: {}", error.what), ..error })
        };
        (0..count).map(token).collect()
    }

    fn token(&mut self) -> Result<Token, NefError> {
        Ok(Token {
            contract: self.array("contract")?,
            method: self.method()?,
            parameters: u16::from_le_bytes(self.array("number of parameters")?),
            has_result: self.has_result()?,
            flags: self.flags()?,
        })
    }

    fn method(&mut self) -> Result<String, NefError> {
        let method = self.text("method", METHOD_SIZE)?;
        if method.starts_with('_') {
            let what = "the method starts with _".to_owned();
            return Err(error(self.at - method.len(), what, "another character".to_owned()));
        }
        Ok(method)
    }

    fn has_result(&mut self) -> Result<bool, NefError> {
        match self.array("result byte")? {
            [0] => Ok(false),
            [1] => Ok(true),
            other => Err(error(
                self.at - 1,
                format!("the result byte is {}", bytes_key(&other)),
                "0x00 or 0x01".to_owned(),
            )),
        }
    }

    fn flags(&mut self) -> Result<CallFlags, NefError> {
        let [bits] = self.array("call flags")?;
        CallFlags::from_bits(bits).ok_or_else(|| {
            let expected = format!("bits of {}", bytes_key(&[ALL_FLAGS]));
            error(self.at - 1, format!("the call flags are {}", bytes_key(&[bits])), expected)
        })
    }

    fn checksum(&mut self) -> Result<[u8; 4], NefError> {
        let at = self.at;
        let checksum = self.array("checksum")?;
        let hash = Sha256::digest(Sha256::digest(&self.file[..at]));
        if hash.starts_with(&checksum) {
            return Ok(checksum);
        }
        let expected = format!("{}, the checksum of the bytes before it", bytes_key(&hash[..checksum.len()]));
        Err(error(at, format!("the checksum is {}", bytes_key(&checksum)), expected))
    }

    fn end(&self) -> Result<(), NefError> {
        match self.file.len() - self.at {
            0 => Ok(()),
            more => Err(error(
                self.at,
                format!("bytes after the checksum: {more}"),
                "the end of the file".to_owned(),
            )),
        }
    }

    fn text(&mut self, field: &str, sizes: RangeInclusive<u64>) -> Result<String, NefError> {
        let bytes = self.sized(field, sizes)?;
        utf8(bytes, self.at - bytes.len(), field)
    }

    /// A length, followed by as many bytes.
    fn sized(&mut self, field: &str, sizes: RangeInclusive<u64>) -> Result<&'f [u8], NefError> {
        let length = self.number(&format!("length of the {field}"), sizes)?;
        self.take(field, length)
    }

    /// A length or a count; `field` is its name.
    ///
    /// An encoding longer than necessary is rejected: writers never produce one, and a contract would
    /// otherwise have many files with different checksums.
    fn number(&mut self, field: &str, allowed: RangeInclusive<u64>) -> Result<usize, NefError> {
        let at = self.at;
        let (number, least) = match self.array(field)? {
            [0xfd] => (u16::from_le_bytes(self.array(field)?).into(), 0xfd),
            [0xfe] => (u32::from_le_bytes(self.array(field)?).into(), 1 << 16),
            [0xff] => (u64::from_le_bytes(self.array(field)?), 1 << 32),
            [short] => (short.into(), 0),
        };
        if number < least {
            let what = format!("the {field}, {number}, is written in {} bytes", self.at - at);
            return Err(error(at, what, "as few bytes as it needs".to_owned()));
        }
        if !allowed.contains(&number) {
            let expected = format!("{} to {}", allowed.start(), allowed.end());
            return Err(error(at, format!("the {field} is {number}"), expected));
        }
        Ok(number as usize)
    }

    fn array<const N: usize>(&mut self, field: &str) -> Result<[u8; N], NefError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(field, N)?);
        Ok(array)
    }

    fn take(&mut self, field: &str, length: usize) -> Result<&'f [u8], NefError> {
        let start = self.at;
        self.at += length;
        self.file.get(start..self.at).ok_or_else(|| {
            let what = format!("the file ends before the end of the {field}");
            error(self.file.len(), what, format!("at least {} bytes", self.at))
        })
    }
}

fn error(at: usize, what: String, expected: String) -> NefError {
    NefError { at, what, expected }
}

/// Rejects the first nonzero byte; `bytes` start at `at`, and `place` names them.
fn zeros(bytes: &[u8], at: usize, place: &str) -> Result<(), NefError> {
    match bytes.iter().position(|byte| *byte != 0) {
        None => Ok(()),
        Some(index) => {
            Err(error(at + index, format!("{} {place}", bytes_key(&bytes[index..=index])), "0x00".to_owned()))
        }
    }
}

/// The text of a field that starts at `at`.
fn utf8(bytes: &[u8], at: usize, field: &str) -> Result<String, NefError> {
    let text = str::from_utf8(bytes).map(str::to_owned);
    text.map_err(|bad| error(at + bad.valid_up_to(), format!("the {field} is not UTF-8"), "UTF-8".to_owned()))
}
