//! What `tests/costs/ethereum.txt` must have a measured cost for.

use std::collections::BTreeSet;

use revm_bytecode::opcode::BLOCKHASH;
use revm_handler::PrecompileProvider;
use revm_primitives::hardfork::SpecId;
use revm_primitives::{Address, U256};

use super::context::EngineContext;
use super::effects::effects;
use super::place::EthereumPlace;
use super::precompiles::Precompiles;
use super::table::ETHEREUM;
use crate::machines::effects::Effect;

const TABLE: &str = include_str!("../../../tests/costs/ethereum.txt");

/// The words of the name of each row.
fn names() -> impl Iterator<Item = impl Iterator<Item = &'static str>> {
    let rows = TABLE.lines().filter(|line| !line.starts_with('#'));
    rows.map(|row| row.split('|').next().unwrap_or_default().split_whitespace())
}

#[test]
fn precompiled_contracts_and_signatures_have_a_cost() {
    let precompiles = Precompiles::new(SpecId::AMSTERDAM);
    let known = PrecompileProvider::<EngineContext>::warm_addresses(&precompiles).iter().copied();
    let last = names().filter_map(Iterator::last);
    let number = |word: &str| U256::from_str_radix(word.strip_prefix("0x")?, 16).ok();
    let measured: BTreeSet<_> = last.filter_map(number).map(|at| Address::from_word(at.into())).collect();
    assert_eq!(known.collect::<BTreeSet<_>>(), measured);
    assert!(names().any(|mut words| words.next() == Some("AUTHORIZATION")));
}

#[test]
fn instructions_that_access_accounts_have_a_cost() {
    let measured: BTreeSet<_> = names().filter_map(|mut words| words.next()).collect();
    let codes = ETHEREUM.ops.iter().filter(|op| accesses_accounts(op.code as u8));
    let missing: Vec<_> = codes.filter(|op| !measured.contains(op.name)).map(|op| op.name).collect();
    assert_eq!(missing, [""; 0]);
}

/// Whether an instruction accesses an account, its storage, or a block.
fn accesses_accounts(code: u8) -> bool {
    let is_account = |place: &EthereumPlace| match place {
        EthereumPlace::Storage(_)
        | EthereumPlace::Transient(_)
        | EthereumPlace::Balance(_)
        | EthereumPlace::Own
        | EthereumPlace::Code(_)
        | EthereumPlace::NewFrame => true,
        EthereumPlace::Memory(..)
        | EthereumPlace::Word(_)
        | EthereumPlace::Byte(_)
        | EthereumPlace::Input
        | EthereumPlace::Returned
        | EthereumPlace::Logs
        | EthereumPlace::Output => false,
    };
    code == BLOCKHASH
        || effects(code).iter().any(|effect| match effect {
            Effect::Reads(place)
            | Effect::Needs(place)
            | Effect::Writes(place)
            | Effect::Stores(place)
            | Effect::MayWrite(place) => is_account(place),
            Effect::Jumps
            | Effect::JumpsTo(_)
            | Effect::Takes(_)
            | Effect::Leaves(_)
            | Effect::Moves(_)
            | Effect::Creates => false,
        })
}
