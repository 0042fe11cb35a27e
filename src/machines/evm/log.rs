//! Logs: LOG0 to LOG4, and the two forms that vectors use for them.

use rlp::RlpStream;

use super::context::Log;
use super::frame::{EvmFrame, range};
use super::hash::keccak;
use super::operands::Operands;
use super::stop::EvmFlow;
use super::word::{Word, words};
use super::world::address_bytes;

/// The size of an entry in bytes, with its copies as values.
const ENTRY: u64 = 3072;

/// The charge for logging, in units. Includes the hash of all entries at the end.
const WORK: u64 = 20;
/// The charge for each topic, in units.
const UNITS_OF_TOPIC: u64 = 35;
/// The charge for each word of data, in units.
const UNITS_OF_WORD: u64 = 30;

#[inline(never)]
pub(super) fn log<const TOPICS: usize>(f: &mut EvmFrame<'_>) -> EvmFlow {
    let (offset, size) = (f.pop(), f.pop());
    let topics = (0..TOPICS).map(|_| f.pop()).collect();
    let range = range(offset, size)?;
    f.pay((range.len() as u64).saturating_mul(8), range.end)?;
    f.work(WORK + UNITS_OF_TOPIC * TOPICS as u64 + UNITS_OF_WORD * words(range.len()))?;
    f.context.keep(ENTRY, range.len())?;
    let data = f.context.memory[range].to_vec();
    f.context.logs.push(Log { topics, data });
    Ok(())
}

impl Log {
    /// The 2048-bit filter of the address and the topics, most significant byte first.
    pub(super) fn bloom(&self, address: Word) -> [u8; 256] {
        let mut bloom = [0; 256];
        let mut add = |item: &[u8]| {
            let hash = keccak(item);
            for pair in hash[..6].chunks_exact(2) {
                let bit = usize::from(u16::from_be_bytes([pair[0], pair[1]]) & 2047);
                bloom[255 - bit / 8] |= 1 << (bit % 8);
            }
        };
        add(&address_bytes(address));
        self.topics.iter().for_each(|topic| add(&topic.to_be_bytes::<32>()));
        bloom
    }
}

/// [`hash_logs`] of an empty list, which most programs have.
const NO_LOGS: [u8; 32] =
    match hex::const_decode_to_array(b"1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347") {
        Ok(hash) => hash,
        Err(_) => panic!("hex digits"),
    };

/// Keccak-256 of the RLP list of all entries, each `[address, [topics], data]`.
pub(super) fn hash_logs(address: Word, logs: &[Log]) -> [u8; 32] {
    if logs.is_empty() {
        return NO_LOGS;
    }
    let mut list = RlpStream::new_list(logs.len());
    for log in logs {
        list.begin_list(3);
        list.append(&address_bytes(address).as_slice());
        list.begin_list(log.topics.len());
        for topic in &log.topics {
            list.append(&topic.to_be_bytes::<32>().as_slice());
        }
        list.append(&log.data);
    }
    keccak(&list.out())
}
