//! `--partition`: which part of a run this process executes, given by the user or by a scheduler.

use std::fs;

use anyhow::{Context, bail};
use vmconf::model::{Partition, PartitionKind};

/// The value of `--partition`.
#[derive(Debug, Clone)]
pub(super) enum RequestedPart {
    /// The part that the user gave.
    Is(Partition),
    /// The part that a scheduler gives, and the total for schedulers that do not give it.
    Auto(Option<u64>),
}

/// Reads `hash:2/8`, `auto` or `auto/8`.
pub(super) fn parse(text: &str) -> Result<RequestedPart, String> {
    match text.strip_prefix("auto") {
        Some("") => Ok(RequestedPart::Auto(None)),
        Some(of) => {
            let of = of.strip_prefix('/').and_then(|of| of.parse().ok()).filter(|of| *of > 0);
            of.map(|of| RequestedPart::Auto(Some(of))).ok_or_else(|| "expected auto or auto/8".to_owned())
        }
        None => text.parse().map(RequestedPart::Is),
    }
}

/// A scheduler that starts one command several times, and its environment variables.
struct Scheduler {
    name: &'static str,
    /// The variable with the index of this part.
    index: &'static str,
    /// The variable with the number of parts.
    total: &'static str,
    first: FirstIndex,
    /// The variable with the distance between two indices, if it may be more than 1.
    step: Option<&'static str>,
    /// The variable with the path of a file to touch, which signals that the command supports partitions.
    status_file: Option<&'static str>,
}

/// The index of the first part.
enum FirstIndex {
    Is(u64),
    /// The value of this variable.
    In(&'static str),
}

const SCHEDULERS: &[Scheduler] = &[
    Scheduler {
        status_file: Some("TEST_SHARD_STATUS_FILE"),
        ..scheduler("Bazel", "TEST_SHARD_INDEX", "TEST_TOTAL_SHARDS", FirstIndex::Is(0))
    },
    Scheduler {
        step: Some("SLURM_ARRAY_TASK_STEP"),
        ..scheduler(
            "Slurm",
            "SLURM_ARRAY_TASK_ID",
            "SLURM_ARRAY_TASK_COUNT",
            FirstIndex::In("SLURM_ARRAY_TASK_MIN"),
        )
    },
    // Kubernetes has no variable for the total; a manifest may set JOB_COMPLETIONS.
    scheduler("Kubernetes", "JOB_COMPLETION_INDEX", "JOB_COMPLETIONS", FirstIndex::Is(0)),
    scheduler("GitLab", "CI_NODE_INDEX", "CI_NODE_TOTAL", FirstIndex::Is(1)),
    scheduler("CircleCI", "CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL", FirstIndex::Is(0)),
    scheduler("Buildkite", "BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT", FirstIndex::Is(0)),
];

const fn scheduler(
    name: &'static str,
    index: &'static str,
    total: &'static str,
    first: FirstIndex,
) -> Scheduler {
    Scheduler { name, index, total, first, step: None, status_file: None }
}

/// The schedulers whose environment variables give the part of `--partition auto`.
pub(super) fn schedulers() -> String {
    let row = |row: &Scheduler| format!("\n  {:10}  part {} of {}", row.name, row.index, row.total);
    let rows: String = SCHEDULERS.iter().map(row).collect();
    format!(
        "--partition auto runs the part that a scheduler gives in environment variables:{rows}\n\
         Where the scheduler does not give the number of parts, --partition auto/8 does."
    )
}

impl RequestedPart {
    /// The part to run. Prints a note that names the scheduler if one gave it.
    pub(super) fn part(&self) -> anyhow::Result<Partition> {
        let total = match self {
            RequestedPart::Is(partition) => return Ok(*partition),
            RequestedPart::Auto(total) => *total,
        };
        let Some(scheduler) = SCHEDULERS.iter().find(|it| variable(it.index).is_some()) else {
            let variables: Vec<_> = SCHEDULERS.iter().map(|scheduler| scheduler.index).collect();
            bail!("--partition auto: no scheduler gives the part; none of {} is set", variables.join(", "));
        };
        let partition = scheduler.part(total)?;
        note!(
            "note: part {} of {}, from {} of {}",
            partition.part(),
            partition.of(),
            scheduler.index,
            scheduler.name
        );
        Ok(partition)
    }
}

impl Scheduler {
    fn part(&self, total: Option<u64>) -> anyhow::Result<Partition> {
        let (index, first) = (number(self.index)?, self.first()?);
        let step = self.step.filter(|step| variable(step).is_some()).map_or(Ok(1), number)?;
        let of = match total {
            Some(total) => total,
            None if variable(self.total).is_none() => {
                bail!("--partition auto: {} is not set; auto/8 gives the number of parts", self.total)
            }
            None => number(self.total)?,
        };
        let from_first = index.checked_sub(first).filter(|distance| step > 0 && distance % step == 0);
        let part = from_first.and_then(|distance| (distance / step).checked_add(1));
        let partition = part.and_then(|part| Partition::new(PartitionKind::Hash, part, of));
        let partition = partition.with_context(|| {
            format!("{} is {index}, which is not one of {of} from {first} in steps of {step}", self.index)
        })?;
        if let Some(path) = self.status_file.and_then(variable) {
            fs::write(&path, "").with_context(|| path)?;
        }
        Ok(partition)
    }

    fn first(&self) -> anyhow::Result<u64> {
        match self.first {
            FirstIndex::Is(first) => Ok(first),
            FirstIndex::In(name) => number(name),
        }
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

fn number(name: &str) -> anyhow::Result<u64> {
    let value = variable(name).with_context(|| format!("--partition auto: {name} is not set"))?;
    value.trim().parse().with_context(|| format!("{name} is {value:?} and must be a number"))
}
