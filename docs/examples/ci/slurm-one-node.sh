#!/usr/bin/env bash
# Runs slurm-array.sh on a Slurm of one node, which it starts here and stops again, and compares the
# joined report with that of one run. It needs root and Debian's slurm-wlm, and is not part of .ci/run:
#
#   apt-get install slurm-wlm && docs/examples/ci/slurm-one-node.sh
#
# VMCONF names a command that is already built. The work folder stays, with all logs; its name is printed.
set -euo pipefail
cd "$(dirname "$0")/../../.."
if [ -z "${VMCONF:-}" ]; then
  cargo build --release --locked
  VMCONF=$PWD/target/release/vmconf
fi
vmconf=$VMCONF

work=$(mktemp -d -t vmconf-slurm-XXXXXX)
echo "work folder: $work"
started=()
cleanup() {
  for pid in "${started[@]}"; do kill "$pid" 2>/dev/null || true; done
}
trap cleanup EXIT

host=$(hostname -s)
key=$work/munge.key
dd if=/dev/urandom of="$key" bs=128 count=1 status=none
chmod 400 "$key"
mkdir -p "$work/state" "$work/spool"
chmod 755 "$work"
munged --foreground --force --key-file="$key" --socket="$work/munge.socket" --pid-file="$work/munge.pid" \
  --log-file="$work/munge.log" --seed-file="$work/munge.seed" >"$work/munged.out" 2>&1 &
started+=($!)
cat >"$work/slurm.conf" <<CONF
ClusterName=vmconf
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
CryptoType=crypto/munge
SlurmctldPort=16817
SlurmdPort=16818
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/linear
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=main Nodes=$host Default=YES MaxTime=10 State=UP OverSubscribe=FORCE:4
CONF
export SLURM_CONF=$work/slurm.conf
sleep 1
slurmctld -D -f "$SLURM_CONF" >"$work/slurmctld.out" 2>&1 &
started+=($!)
slurmd -D -f "$SLURM_CONF" -N "$host" >"$work/slurmd.out" 2>&1 &
started+=($!)

for _ in $(seq 30); do
  if sinfo -h -o %T 2>/dev/null | grep -q idle; then break; fi
  sleep 1
done
sinfo || { cat "$work"/*.out "$work"/*.log; exit 1; }

# What slurm-array.sh calls vmconf.
mkdir "$work/bin" "$work/reports"
ln -s "$(realpath "$vmconf")" "$work/bin/vmconf"
export PATH=$work/bin:$PATH REPORTS=$work/reports VMCONF_CACHE=$work/cache

script=docs/examples/ci/slurm-array.sh
timeout 300 sbatch --wait --array=3-9:2 --output="$work/job-%a.txt" "$script" run ||
  { cat "$work"/job-*.txt "$work"/*.log; exit 1; }
timeout 120 sbatch --wait --output="$work/job-merge.txt" "$script" merge ||
  { cat "$work/job-merge.txt"; exit 1; }
cat "$work/job-merge.txt"

timeless() { sed 's/"seconds":[0-9.e-]*/"seconds":0/'; }
"$vmconf" run --report json | timeless >"$work/one.jsonl"
"$vmconf" merge "$REPORTS"/part-*.jsonl --report json | timeless >"$work/merged.jsonl"
cmp "$work/one.jsonl" "$work/merged.jsonl"
parts=("$REPORTS"/part-*.jsonl)
echo "${#parts[@]} tasks of a job array are one run"
