//! The rules for vector files: the only list of their names.
//!
//! Each diagnostic names the violated rule; `vmconf check` prints the name with the message, so that programs
//! can filter by it. A published name keeps its meaning. Rules below `must/` are rules of a format's
//! published specification that real files break and readers tolerate.

/// Generates [`LintRule`] from rows of a variant, its name and what violates it.
macro_rules! rules {
    ($($rule:ident, $name:literal, $doc:literal;)*) => {
        /// A rule, named after what violates it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum LintRule {
            $(#[doc = concat!("`", $name, "`: ", $doc)] $rule,)*
        }

        /// Every rule.
        pub const RULES: &[LintRule] = &[$(LintRule::$rule),*];

        impl LintRule {
            /// Its name.
            pub const fn name(self) -> &'static str {
                match self { $(LintRule::$rule => $name),* }
            }

            /// What violates it, in one line.
            pub const fn doc(self) -> &'static str {
                match self { $(LintRule::$rule => $doc),* }
            }
        }
    };
}

rules! {
    Unreadable, "unreadable", "the file cannot be read, or is larger than the limit";
    Encoding, "encoding", "the file is not UTF-8";
    Syntax, "syntax", "the file is not JSON, or nested deeper than the limit";
    NotAVector, "not-a-vector", "no format looks like this";
    AmbiguousFormat, "ambiguous-format", "several formats look like this";
    Comment, "comment", "a comment, which JSON does not have";
    TrailingComma, "trailing-comma", "a comma before a closing bracket, which JSON does not have";
    ByteOrderMark, "byte-order-mark", "the file starts with a byte order mark";
    DuplicateKey, "duplicate-key", "an object has the same member twice";
    DuplicateName, "duplicate-name", "two tests of a file have the same name";
    UnknownMember, "unknown-member", "the format does not know a member of this name here";
    MissingMember, "missing-member", "a missing member that the reader needs";
    WrongType, "wrong-type", "a value has a JSON type that the format does not allow";
    Number, "number", "a number is not in the notation of the format, or out of range";
    Bytes, "bytes", "bytes are not in the notation of the format, or have the wrong length";
    Misplaced, "misplaced-member", "a member lacks another member that it requires, or has one that excludes it";
    Malformed, "malformed", "a value violates the format in another way";
    UnknownName, "unknown-name", "an unknown keyword of the format: an action, a state, a type";
    LetterCase, "letter-case", "a name is spelled with other capitals than usual";
    NamedFile, "named-file", "a file that the vector names cannot be used, or another is used in its place";
    UnusedFile, "unused-file", "a driver or testee beside the list is in no pair";
    AmbiguousBytes, "ambiguous-bytes", "bytes can be read both as hex and as base64";
    UnknownMnemonic, "unknown-mnemonic", "the machine has no instruction of this name";
    Assembly, "assembly", "the assembler of the machine rejects a source";
    AssemblerWarning, "assembler-warning", "a source does something that is probably a mistake";
    OddProgram, "odd-program", "a program contains something that traps or has no effect when it is reached";
    ParallelLists, "parallel-lists", "two lists whose items belong together differ in length";
    WrongSender, "wrong-sender", "the secret key of a transaction is none, or belongs to another sender";
    SignedBytes, "signed-bytes", "the signed bytes of a transaction do not decode, or are of another one";
    WrongRoot, "wrong-root", "the state that is demanded has another root than is demanded with it";
    NotLoadable, "not-loadable", "the machine does not take the program";
    NoCases, "no-cases", "a vector file has no case";
    NothingCompared, "nothing-compared", "after the last step of a test, nothing is compared";
    NotCompared, "not-compared", "a value is given that is never compared";
    ImpossibleValue, "impossible-value", "the machine can never have the value that is expected";
    NoExecutingAccount, "no-executing-account", "the account that executes is not in the state before: machines differ on whether it exists";
    TextAndFiles, "text-and-files", "the specification requires another form than all published files use";
    OpcodeNumber, "opcode-number", "an instruction is named by its number";
    MustLetterCase, "must/letter-case", "a name has another letter case than the specification requires";
    MustMember, "must/member", "a member that the specification requires is missing";
    MustType, "must/type", "a value is of a type that the format's text does not allow here";
    MustNotBeEmpty, "must/not-empty", "a value that the specification requires is empty";
    MustBeOneStack, "must/one-stack", "a result has not just one of invocationStack and resultStack";
    MustBeHex, "must/hex", "bytes are not written as 0x and hex digits";
    MustMapKey, "must/map-key", "a key of a Map is not written as 0x and hex digits in lower case";
    NotListed, "not-listed", "a case or a file has more findings of one severity than are listed";
    Internal, "internal", "a fault of vmconf and not of the file: a reader or a machine gave up";
}
