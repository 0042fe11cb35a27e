//! Why a program is stopped.

use crate::model::Value;

/// A trap with the data for its `details`. Numbers from the program are as written there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Trap {
    IntOverflow {
        a: i16,
        b: Option<i16>,
    },
    DivZero {
        a: i16,
    },
    UninitRead {
        slot: Value,
    },
    Type {
        expected: &'static str,
    },
    BadLocal {
        slot: Value,
        local_count: usize,
    },
    BadFunid {
        fid: Value,
    },
    BadJump {
        target: Value,
        code_len: usize,
    },
    CallNullfun,
    BadSignature {
        fid: u16,
        param_count: usize,
        argc: Value,
    },
    Underflow {
        need: usize,
    },
    Overflow {
        limit: u64,
    },
    Callstack {
        limit: u64,
    },
    StepLimit {
        limit: u64,
    },
    Internal {
        op: String,
        reason: &'static str,
    },
    /// A trap reported by another machine.
    Reported {
        code: String,
        details: Vec<(&'static str, Value)>,
    },
}

impl Trap {
    /// The code of `trap` in a snapshot.
    pub(super) fn code(&self) -> &str {
        match self {
            Trap::IntOverflow { .. } => "TRAP_INT_OVERFLOW",
            Trap::DivZero { .. } => "TRAP_DIV_ZERO",
            Trap::UninitRead { .. } => "TRAP_UNINIT_READ",
            Trap::Type { .. } => "TRAP_TYPE",
            Trap::BadLocal { .. } => "TRAP_BAD_LOCAL",
            Trap::BadFunid { .. } => "TRAP_BAD_FUNID",
            Trap::BadJump { .. } => "TRAP_BAD_JUMP",
            Trap::CallNullfun => "TRAP_CALL_NULLFUN",
            Trap::BadSignature { .. } => "TRAP_BAD_SIGNATURE",
            Trap::Underflow { .. } | Trap::Overflow { .. } => "TRAP_STACK",
            Trap::Callstack { .. } => "TRAP_CALLSTACK",
            Trap::StepLimit { .. } => "TRAP_STEP_LIMIT",
            Trap::Internal { .. } => "TRAP_INTERNAL",
            Trap::Reported { code, .. } => code,
        }
    }

    /// The members of `details`; empty for a trap without details.
    pub(super) fn details(&self) -> Vec<(&'static str, Value)> {
        match self {
            Trap::IntOverflow { a, b: None } | Trap::DivZero { a } => vec![("a", Value::int(*a))],
            Trap::IntOverflow { a, b: Some(b) } => vec![("a", Value::int(*a)), ("b", Value::int(*b))],
            Trap::UninitRead { slot } => vec![("slot", slot.clone())],
            Trap::Type { expected } => vec![("expected", Value::text(*expected))],
            Trap::BadLocal { slot, local_count } => {
                vec![("slot", slot.clone()), ("local_count", Value::int(*local_count))]
            }
            Trap::BadFunid { fid } => vec![("fid", fid.clone())],
            Trap::BadJump { target, code_len } => {
                vec![("target", target.clone()), ("code_len", Value::int(*code_len))]
            }
            Trap::CallNullfun => Vec::new(),
            Trap::BadSignature { fid, param_count, argc } => {
                vec![
                    ("fid", Value::int(*fid)),
                    ("param_count", Value::int(*param_count)),
                    ("argc", argc.clone()),
                ]
            }
            Trap::Underflow { need } => {
                vec![("kind", Value::text("underflow")), ("need", Value::int(*need))]
            }
            Trap::Overflow { limit } => {
                vec![("kind", Value::text("overflow")), ("limit", Value::int(*limit))]
            }
            Trap::Callstack { limit } | Trap::StepLimit { limit } => vec![("limit", Value::int(*limit))],
            Trap::Internal { op, reason } => {
                vec![("op", Value::text(op.clone())), ("reason", Value::text(*reason))]
            }
            Trap::Reported { details, .. } => details.clone(),
        }
    }

    /// The value of `trap` in a snapshot.
    pub(super) fn to_value(&self) -> Value {
        let details = self.details();
        let code = ("code", Value::text(self.code()));
        let details = (!details.is_empty()).then(|| ("details", Value::record(details)));
        Value::record([code].into_iter().chain(details))
    }
}
