//! The instructions of the 16-bit machine. Operands are named in the order of the source: a, b. A row without
//! a keyword of the assembly language is written as `.word`.

use super::place::TinyPlace;
use crate::isa::effect::declared_effects;
use crate::isa::{Isa, OpInfo, Unit, WordField};

/// Generates the instruction set.
macro_rules! instruction_set {
    (
        $($word:literal $exact:ident $exact_text:literal [] $exact_handler:path, $exact_doc:literal,
            $exact_effects:tt;)*
        fields
        $($first:tt $(..= $last:tt)? $name:ident $text:literal
            [$($field:ident $(($size:literal))?)*] $handler:path, $doc:literal, $effects:tt;)*
    ) => {
        const ROWS: &[OpInfo] = &[
            $(OpInfo {
                code: $word,
                mask: 0xffff,
                name: stringify!($exact),
                doc: $exact_doc,
                effects: declared_effects!(TinyPlace: $exact_effects),
                ..OpInfo::BASE
            },)*
            $(OpInfo {
                code: $first << 8,
                mask: if 0 $(+ $last)? == 0 { 0xff00 } else { 0xf000 },
                name: stringify!($name),
                fields: &[$(WordField::$field $(($size))?),*],
                doc: $doc,
                effects: declared_effects!(TinyPlace: $effects),
                ..OpInfo::BASE
            },)*
        ];

        /// What an instruction does.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[allow(clippy::upper_case_acronyms, reason = "as the rows spell them")]
        pub(super) enum TinyOp {
            $($exact,)*
            $($name,)*
            /// A word without a row.
            Undefined,
        }

        impl TinyOp {
            /// The operations of the rows, in order.
            const OF_ROWS: &[TinyOp] = &[$(TinyOp::$exact,)* $(TinyOp::$name,)*];

            pub(super) fn of_word(word: u16) -> TinyOp {
                TINYVM.row(word).map_or(TinyOp::Undefined, |row| TinyOp::OF_ROWS[row])
            }
        }

        /// The instruction set.
        pub static TINYVM: Isa = Isa::new("tinyvm", Unit::Words, ROWS);

        /// The assembly keyword of each row, in the order of the rows; empty for a row that has none.
        pub(super) static WORDS: &[&str] = &[$($exact_text,)* $($text,)*];
    };
}

/// Passes the rows to a macro. A row begins with the whole word, or with all possible high bytes of the word.
// One row per line, so that the table can be read by column.
#[rustfmt::skip]
macro_rules! rows {
    ($make:ident) => { $make! {
    0x102a       YIELD    "yield"   []                          stop::yield_,            "stop with the value of r0; the run can go on after it", [Reads(Command), Reads(Source), Writes(Target)];
    0x102b       CPUID    "cpuid"   []                          stop::cpuid,             "r0 = features if r0 is 0, else 0; r1, r2, r3 = 0", [Reads(R0), Writes(First4)];
    0x102c       DEBUG    "debug"   []                          stop::debug,             "nothing that the program sees", [];
    0x102d       TIME     "time"    []                          stop::time,              "r0 to r3 = instructions executed before this one", [Writes(First4)];
    fields
    0x20         SW       "sw"      [Register(4) Register(0)]   memory::sw,              "data[a] = b", [Reads(A), Reads(B), Writes(DataAtA)];
    0x21         LW       "lw"      [Register(0) Register(4)]   memory::lw,              "a = data[b]", [Reads(B), Reads(DataAtB), Writes(A)];
    0x22         LWI      "lwi"     [Register(0) Register(4)]   memory::lwi,             "a = instruction[b]", [Reads(B), Writes(A)];
    0x30..=0x3f  LI       "lw"      [Register(8) Signed]        memory::li,              "a = the byte with its sign", [Writes(A)];
    0x40..=0x4f  LHI      "lhi"     [Register(8) High]          memory::lhi,             "high byte of a = the byte", [Reads(A), Writes(A)];
    0x58         DECR     "decr"    [Register(0) Register(4)]   arith::decr,             "a = b - 1", [Reads(B), Writes(A)];
    0x59         INCR     "incr"    [Register(0) Register(4)]   arith::incr,             "a = b + 1", [Reads(B), Writes(A)];
    0x5a         NOT      "not"     [Register(0) Register(4)]   arith::not_,             "a = complement of b", [Reads(B), Writes(A)];
    0x5b         POPCNT   "popcnt"  [Register(0) Register(4)]   arith::popcnt,           "a = one bits of b", [Reads(B), Writes(A)];
    0x5c         CLZ      "clz"     [Register(0) Register(4)]   arith::clz,              "a = leading zero bits of b", [Reads(B), Writes(A)];
    0x5d         CTZ      "ctz"     [Register(0) Register(4)]   arith::ctz,              "a = trailing zero bits of b", [Reads(B), Writes(A)];
    0x5e         RND      "rnd"     [Register(0) Register(4)]   arith::rnd,              "a = a random number from 0 to b", [Reads(B), Writes(A)];
    0x5f         MOV      "mov"     [Register(0) Register(4)]   arith::mov,              "a = b", [Reads(B), Writes(A)];
    0x60         ADD      "add"     [Register(4) Register(0)]   arith::add,              "b = a + b", [Reads(A), Reads(B), Writes(B)];
    0x61         SUB      "sub"     [Register(4) Register(0)]   arith::sub,              "b = a - b", [Reads(A), Reads(B), Writes(B)];
    0x62         MUL      "mul"     [Register(4) Register(0)]   arith::mul,              "b = low word of a * b", [Reads(A), Reads(B), Writes(B)];
    0x63         MULH     "mulh"    [Register(4) Register(0)]   arith::mulh,             "b = high word of a * b", [Reads(A), Reads(B), Writes(B)];
    0x64         DIVU     "divu"    [Register(4) Register(0)]   arith::divu,             "b = a / b, 0xffff if b is 0", [Reads(A), Reads(B), Writes(B)];
    0x65         DIVS     "divs"    [Register(4) Register(0)]   arith::divs,             "b = a / b with signs, 0x7fff if b is 0", [Reads(A), Reads(B), Writes(B)];
    0x66         MODU     "modu"    [Register(4) Register(0)]   arith::modu,             "b = a % b, 0 if b is 0", [Reads(A), Reads(B), Writes(B)];
    0x67         MODS     "mods"    [Register(4) Register(0)]   arith::mods,             "b = a % b with signs, 0 if b is 0", [Reads(A), Reads(B), Writes(B)];
    0x68         AND      "and"     [Register(4) Register(0)]   arith::and,              "b = bits set in both a and b", [Reads(A), Reads(B), Writes(B)];
    0x69         OR       "or"      [Register(4) Register(0)]   arith::or,               "b = bits set in a or b", [Reads(A), Reads(B), Writes(B)];
    0x6a         XOR      "xor"     [Register(4) Register(0)]   arith::xor,              "b = bits set in one of a and b", [Reads(A), Reads(B), Writes(B)];
    0x6b         SL       "sl"      [Register(4) Register(0)]   arith::sl,               "b = a << b", [Reads(A), Reads(B), Writes(B)];
    0x6c         SRL      "srl"     [Register(4) Register(0)]   arith::srl,              "b = a >> b, filled with zeros", [Reads(A), Reads(B), Writes(B)];
    0x6d         SRA      "sra"     [Register(4) Register(0)]   arith::sra,              "b = a >> b, filled with the sign", [Reads(A), Reads(B), Writes(B)];
    0x6e         EXP      ""        [Register(4) Register(0)]   arith::exp,              "b = a to the power b, in some machines", [Reads(A), Reads(B), Writes(B)];
    0x6f         ROOT     ""        [Register(4) Register(0)]   arith::root,             "b = root b of a, in some machines", [Reads(A), Reads(B), Writes(B)];
    0x80         NEVER    ""        [Register(4) Register(0)]   compare::compare::<0>,   "b = 0", [Writes(B)];
    0x81         NEVERS   ""        [Register(4) Register(0)]   compare::compare::<1>,   "b = 0", [Writes(B)];
    0x82         GT       "gt"      [Register(4) Register(0)]   compare::compare::<2>,   "b = whether a > b; b is taken for 0 if it is register a", [Reads(A), Reads(B), Writes(B)];
    0x83         GTS      "gts"     [Register(4) Register(0)]   compare::compare::<3>,   "b = whether a > b with signs; b is taken for 0 if it is register a", [Reads(A), Reads(B), Writes(B)];
    0x84         EQ       "eq"      [Register(4) Register(0)]   compare::compare::<4>,   "b = whether a is b; b is taken for 0 if it is register a", [Reads(A), Reads(B), Writes(B)];
    0x85         EQS      ""        [Register(4) Register(0)]   compare::compare::<5>,   "b = whether a is b; b is taken for 0 if it is register a", [Reads(A), Reads(B), Writes(B)];
    0x86         GE       "ge"      [Register(4) Register(0)]   compare::compare::<6>,   "b = whether a >= b; b is taken for 0 if it is register a", [Reads(A), Reads(B), Writes(B)];
    0x87         GES      "ges"     [Register(4) Register(0)]   compare::compare::<7>,   "b = whether a >= b with signs; b is taken for 0 if it is register a", [Reads(A), Reads(B), Writes(B)];
    0x88         LT       "lt"      [Register(4) Register(0)]   compare::compare::<8>,   "b = whether a < b; b is taken for 0 if it is register a", [Reads(A), Reads(B), Writes(B)];
    0x89         LTS      "lts"     [Register(4) Register(0)]   compare::compare::<9>,   "b = whether a < b with signs; b is taken for 0 if it is register a", [Reads(A), Reads(B), Writes(B)];
    0x8a         NE       "ne"      [Register(4) Register(0)]   compare::compare::<10>,  "b = whether a is not b; b is taken for 0 if it is register a", [Reads(A), Reads(B), Writes(B)];
    0x8b         NES      ""        [Register(4) Register(0)]   compare::compare::<11>,  "b = whether a is not b; b is taken for 0 if it is register a", [Reads(A), Reads(B), Writes(B)];
    0x8c         LE       "le"      [Register(4) Register(0)]   compare::compare::<12>,  "b = whether a <= b; b is taken for 0 if it is register a", [Reads(A), Reads(B), Writes(B)];
    0x8d         LES      "les"     [Register(4) Register(0)]   compare::compare::<13>,  "b = whether a <= b with signs; b is taken for 0 if it is register a", [Reads(A), Reads(B), Writes(B)];
    0x8e         ALWAYS   ""        [Register(4) Register(0)]   compare::compare::<14>,  "b = 1", [Writes(B)];
    0x8f         ALWAYSS  ""        [Register(4) Register(0)]   compare::compare::<15>,  "b = 1", [Writes(B)];
    0x90..=0x9f  B        "b"       [Register(8) Skip(8)]       jump::b,                 "go on so far away if a is not 0", [Reads(A), Jumps];
    0xa0..=0xaf  J        "j"       [Skip(12)]                  jump::j,                 "go on so far away", [JumpsTo(skipped)];
    0xb0..=0xbf  JR       "j"       [Register(8) Signed]        jump::jr,                "go on at a + the byte with its sign", [Reads(A), JumpsTo(added)];
    0xc0..=0xcf  JHI      "jhi"     [Register(8) High]          jump::jhi,               "go on at the byte, then the low byte of a", [Reads(A), JumpsTo(joined)];
    }};
}

pub(super) use rows;

rows!(instruction_set);
