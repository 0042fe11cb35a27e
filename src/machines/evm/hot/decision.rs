//! What the hot tier decides. Tests count which decisions the own vectors reach; nothing else notes them.

/// Defines the decisions: questions, whose answer is yes or no, and ways, one of several.
macro_rules! decisions {
    (
        questions { $($(#[doc = $asked:literal])* $question:ident,)* }
        ways { $($(#[doc = $when:literal])* $way:ident,)* }
    ) => {
        /// What the hot tier decides.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub(super) enum Decision {
            $($(#[doc = $asked])* $question,)*
            $($(#[doc = $when])* $way,)*
        }

        impl Decision {
            /// All decisions: each question with both answers, each way once.
            #[cfg(test)]
            pub(super) fn all() -> std::collections::BTreeSet<(Decision, bool)> {
                [$((Decision::$question, true), (Decision::$question, false),)* $((Decision::$way, true),)*].into()
            }
        }
    };
}

decisions! {
    questions {
        // Going on with a block.
        /// Whether the last block knows the next one.
        IsLinked,
        /// Whether there is a block, if the last one does not know it.
        IsBlock,
        /// Whether the items that the block takes are there.
        HasItems,
        /// Whether there is room for what it adds for a while.
        HasRoom,
        /// Whether it has a guard.
        IsGuarded,
        /// Whether that holds.
        GuardHolds,
        /// Whether the gas suffices.
        HasGas,
        /// Whether the runner lets it execute so many instructions.
        IsBeforeFence,
        /// Whether the runner lets it work so much.
        MayWork,
        /// Whether it has been charged for work, of which some may be given back.
        HasUnits,
        // Going on after it.
        /// Whether it repeats itself.
        Repeats,
        /// Whether the repetition is possible.
        CanRepeat,
        /// Whether it is left for its own start, because the repetition was not possible.
        StartsOver,
        /// Whether the condition of a branch is met.
        IsMet,
        /// Whether the gas suffices for a jump to a computed place.
        HasGasForJump,
        /// Whether the target of that jump is a number of 64 bits.
        IsNear,
        /// Whether the target is in the code.
        IsInCode,
        /// Whether a block begins there.
        IsBlockThere,
        /// Whether the target is a destination.
        IsDestination,
        /// Whether the next instruction is one that the caller wants to see.
        IsLeftOut,
        /// Whether an instruction that no block contains ends the run, or the slice of it.
        Stops,
        /// Whether it does because it jumps to hot code.
        IsHotJump,
        /// Whether there is a block to which the last one can be linked.
        LeadsToBlock,
        // Making a block.
        /// Whether all offsets of the code have entries.
        HasEntries,
        /// Whether a block may still be made at the offset.
        MayBecomeBlock,
        /// Whether it is visited for the first time.
        IsNew,
        /// Whether blocks have continued there often.
        IsVisited,
        /// Whether the plain loop has jumped there often.
        IsHot,
        /// Whether the block has been made.
        IsMade,
        /// Whether it is the first one of the machine.
        IsFirst,
        /// Whether there are as many blocks as there may be.
        AreBlocksUsedUp,
        /// Whether there are as many steps as there may be.
        AreStepsUsedUp,
        /// Whether a block that ends before an instruction which no block contains is long enough.
        IsLongEnough,
        /// Whether any other block has instructions.
        HasInstructions,
        /// Whether places for all items are found.
        IsAllocated,
        /// Whether the block leaves as many items as it takes.
        KeepsHeight,
        /// Whether the stack has room for what the block takes and adds.
        FitsStack,
        // Following instructions.
        /// Whether the block may have one more instruction.
        IsShort,
        /// Whether it may follow one more jump.
        FollowsJump,
        /// Whether the caller wants to see the instruction.
        IsWanted,
        /// Whether the target of a jump is a constant.
        IsConstantTarget,
        /// Whether that is a number of 64 bits.
        IsNearTarget,
        /// Whether it is a destination.
        IsValidTarget,
        /// Whether a JUMPI is an assertion: there is an undefined code behind it.
        IsAssertion,
        /// Whether its condition is about what is known when the block begins.
        IsKnownAtStart,
        /// Whether it is the block's only guard.
        IsOnlyGuard,
        /// Whether any other condition is a result, and no item that the block found or constant.
        TestsResult,
        /// Whether an item is below those that were noted.
        IsDeep,
        /// Whether all operands are constants.
        IsFolded,
        /// Whether the price depends on the operands.
        IsPriced,
        // Allocating places.
        /// Whether the result of a node is used.
        IsUsed,
        /// Whether a final place of the result is above the items that the block takes.
        IsAbove,
        /// Whether what is in a final place of the result is needed in another place at the end.
        IsKept,
        /// Whether later nodes need what is there.
        IsNeededLater,
        /// Whether the result goes to a final place at once.
        IsHome,
        /// Whether there is a temporary slot.
        HasTemporary,
        /// Whether an item is where it was when the block began.
        IsInPlace,
        /// Whether an item must be copied to its final place.
        IsMoved,
        /// Whether the copies are not too many.
        AreCopiesFew,
        /// Whether a copy overwrites an operand of the condition.
        IsOverwritten,
        /// Whether there is a copy that overwrites nothing which another one reads.
        IsCopyFree,
        /// Whether a constant has a slot already.
        IsKnownConstant,
        /// Whether there is a slot for a new constant.
        HasConstant,
    }
    ways {
        /// A block goes on at one place.
        Goes,
        /// It goes on by a condition.
        Branches,
        /// It goes on at its own start by a condition.
        MayRepeat,
        /// It goes on at a computed place.
        Jumps,
        /// It goes on with an instruction that no block contains.
        ExitsPlainly,
        /// It is linked to the only block that comes next.
        LinksOnly,
        /// It is linked to one of two.
        LinksBranch,
        /// It is linked to the one after its last repetition.
        LinksAfter,
        /// It cannot be linked.
        LinksNothing,
        /// The code of a block ends before an instruction that no block contains.
        EndsPlainly,
        /// It goes on at the known target of a JUMP.
        FollowsTarget,
        /// It ends at a JUMP to a computed place.
        EndsComputed,
        /// It ends before a JUMP to a constant that is no destination.
        EndsNowhere,
        /// It ends at a JUMPI to a known place.
        EndsBranch,
        /// It goes on behind an assertion.
        FollowsAssertion,
        /// It ends before a JUMPI to a computed place, or to one that is no destination.
        EndsBranchNowhere,
        /// A condition is the opposite of another item.
        TestsOpposite,
        /// It is LT.
        TestsLess,
        /// It is GT.
        TestsGreater,
        /// It is EQ.
        TestsEqual,
        /// A block whose condition is met repeats itself.
        RepeatsIfMet,
        /// A block whose condition is not met repeats itself.
        RepeatsUnlessMet,
        /// A block does not lead to its start.
        NeverRepeats,
        /// ADD of a constant in the place of the left operand.
        IncreasesLeft,
        /// ADD of a constant in the place of the right operand.
        IncreasesRight,
        /// Any other step.
        Computes,
    }
}

impl Decision {
    /// Notes the answer to a question, and returns it.
    #[inline(always)]
    pub(super) fn is(self, answer: bool) -> bool {
        noted::note(self, answer);
        answer
    }

    /// Notes whether something is found, and returns it.
    #[inline(always)]
    pub(super) fn found<T>(self, found: Option<T>) -> Option<T> {
        self.is(found.is_some());
        found
    }

    /// Notes a way.
    #[inline(always)]
    pub(super) fn taken(self) {
        self.is(true);
    }
}

/// Nothing is noted outside tests.
#[cfg(not(test))]
mod noted {
    #[inline(always)]
    pub(super) fn note(_: crate::machines::evm::hot::decision::Decision, _: bool) {}
}

/// The decisions of a test.
#[cfg(test)]
pub(super) mod noted {
    use std::cell::Cell;
    use std::collections::BTreeSet;

    use super::Decision;

    thread_local! {
        /// For both answers, a bit for each decision of this thread: decisions are too many to collect them in a set.
        static ANSWERS: Cell<[u128; 2]> = const { Cell::new([0; 2]) };
    }

    pub(super) fn note(decision: Decision, answer: bool) {
        let mut answers = ANSWERS.get();
        answers[usize::from(answer)] |= 1 << decision as u32;
        ANSWERS.set(answers);
    }

    /// The decisions of this thread.
    pub(in crate::machines::evm::hot) fn decisions() -> BTreeSet<(Decision, bool)> {
        let answers = ANSWERS.get();
        let is_noted = |(decision, answer): &(Decision, bool)| {
            answers[usize::from(*answer)] >> *decision as u32 & 1 == 1
        };
        Decision::all().into_iter().filter(is_noted).collect()
    }
}
