#!/bin/sh
# The test of BUILD.bazel: one shard. The reports are in bazel-testlogs/conformance/shard_*/test.outputs;
# vmconf merge joins them.
set -eu
vmconf() { "${VMCONF:-vmconf}" "$@"; }
export VMCONF_CACHE="$TEST_TMPDIR"

vmconf run --partition auto --report text --report json="$TEST_UNDECLARED_OUTPUTS_DIR/part-$TEST_SHARD_INDEX.jsonl"
