#!/bin/sh
# A job array, and one job after it that joins the reports. REPORTS is a folder that all nodes see:
#
#   export REPORTS=$PWD/reports && mkdir -p "$REPORTS"
#   array=$(sbatch --parsable --array=1-8 slurm-array.sh run)
#   sbatch --dependency=afterany:"$array" slurm-array.sh merge
#
#SBATCH --job-name=conformance
#SBATCH --time=10
set -eu
case $1 in
run)
  rm -f "$REPORTS/part-$SLURM_ARRAY_TASK_ID.jsonl"
  vmconf run --partition auto --report text --report json="$REPORTS/part-$SLURM_ARRAY_TASK_ID.jsonl"
  ;;
merge)
  vmconf merge "$REPORTS"/part-*.jsonl --report text
  ;;
esac
