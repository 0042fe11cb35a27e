#!/bin/sh
# A machine in another process that misbehaves: as its argument says at the start and at the end, and as the input of
# the program says, a byte in hex, in a case. `hostile.table` lists what is reported of each.

answer() { printf '{"type":"done","id":%s,"steps":[{"fields":{"outcome":"halt"}}],"ended":"halted"}\n' "$id"; }
fields() { printf '{"type":"done","id":%s,"steps":[{"fields":%s}]}\n' "$id" "$1"; }
megabyte() { head -c 1000000 /dev/zero | tr '\0' x; }

hello() {
    printf '{"type":"hello","version":1,"name":"%s","release":"1","machines":[{"machine":"%s","fields":[%s]}]}\n' "$1" "$2" "$3"
}

read -r hello
name=hostile machine=evm fields='"outcome"'
case $1 in
silent) exec sleep 1000 ;;
busy) while :; do :; done ;;
banner) echo 'Welcome!' ;;
dead) echo 'no such module' >&2; exit 1 ;;
gone) exit 0 ;;
segv) kill -SEGV $$ ;;
half) printf '{"type":"hello","version":1'; exec sleep 1000 ;;
half-gone) printf '{"type":"hello","version":1'; exit 0 ;;
bytes) printf '\377\376\n' ;;
null) echo null ;;
newer) echo '{"type":"hello","version":2,"name":"hostile","release":"1","machines":[]}' ;;
worded) echo '{"type":"hello","version":"1","name":"hostile","release":"1","machines":[]}' ;;
bare-hello) echo '{"type":"hello","version":1,"name":"hostile","release":"1"}' ;;
done) echo '{"type":"done","id":1,"steps":[]}' ;;
nested) head -c 1000000 /dev/zero | tr '\0' '['; echo ;;
endless) exec head -c 70000000 /dev/zero ;;
closed) exec >&-; sleep 1000 ;;
long) name=$(megabyte) ;;
alive) echo '{"type":"alive"}'; sleep 0.3; echo '{"type":"alive"}'; sleep 0.3 ;;
always-alive) while :; do echo '{"type":"alive"}'; sleep 0.05; done ;;
loud) megabyte >&2 ;;
twice) hello hostile evm '"outcome"' ;;
other) machine=evn ;;
bare) fields= ;;
esac
hello "$name" "$machine" "$fields"
count=0
while read -r request; do
    count=$((count + 1))
    id=${request#*'"id":'}
    id=${id%%,*}
    behaviour=${request#*'"data":"0x'}
    behaviour=${behaviour%%'"'*}
    [ "$poisoned" ] && kill -ABRT $$
    case $behaviour in
    00) answer ;;
    01) fields '{"outcome":"success"}' ;;
    02) printf '{"type":"skip","id":%s,"reason":"no \\u001b[31mcalls"}\n' "$id" ;;
    03) printf '{"type":"error","id":%s,"message":"no good","at":["code"]}\n' "$id" ;;
    04) exit 0 ;;
    05) echo 'Traceback' >&2; exit 3 ;;
    06) kill -SEGV $$ ;;
    07) kill -KILL $$ ;;
    08) sleep 1000 ;;
    09) while :; do :; done ;;
    0a) trap '' TERM INT HUP; sleep 1000 ;;
    0b) echo 'Segmentation fault' ;;
    0c) echo ;;
    0d) printf '\377\376\000\n' ;;
    0e) printf '{"type":"done","id":%s' "$id"; exit 0 ;;
    0f) printf '{"type":"done","id":%s' "$id"; sleep 1000 ;;
    10) id=$((id + 1)); answer ;;
    11) printf '{"type":"hello","version":1,"name":"hostile","release":"1","machines":[]}\n' ;;
    12) answer; answer ;;
    13) printf '{"type":"done","id":%s,"steps":[]}\n' "$id" ;;
    14) printf '{"type":"done","id":%s,"steps":[{"fields":{}},{"fields":{}}]}\n' "$id" ;;
    15) fields '{"outcome":["halt"]}' ;;
    16) head -c 1000000 /dev/zero | tr '\0' '['; echo ;;
    17) megabyte >&2; echo ' the end' >&2; exit 7 ;;
    18) megabyte >&2; answer ;;
    19) exec >&-; sleep 1000 ;;
    1a) answer; exec <&-; sleep 1000 ;;
    1b) sleep 1000 & exit 4 ;;
    1c) sleep 1000 & answer ;;
    1d) answer; exit 0 ;;
    1e) answer; poisoned=yes ;;
    1f) printf '{"type":"later","id":%s}\n' "$id" ;;
    20) echo null ;;
    21) fields '{}' ;;
    22) head -c 70000000 /dev/zero ;;
    23) printf '{"type":"done","id":%s,"steps":[{"fields":{"outcome":' "$id"
        head -c 5000000 /dev/zero | tr '\0' ','
        echo ;;
    24) memory=x; while :; do memory=$memory$memory; done ;;
    25) answer; printf '{"type":"done","id":' ;;
    26) printf '{"type":"done","id":-1,"steps":[]}\n' ;;
    27) exec <&- >&- 2>&-; sleep 1000 ;;
    28) kill -TERM $$ ;;
    29) fields '{"outcome":1.5}' ;;
    2a) setsid sleep 20 & exit 4 ;;
    2b) printf '{"type":"done","id":"%s","steps":[]}\n' "$id" ;;
    2c) printf '{"type":"done","later":{"a":[1]},"id":%s,"steps":[{"fields":{"outcome":"halt","x":0},"y":1}]}\n' "$id" ;;
    2d) printf '{"type":"done","id":%s,"id":1,"steps":[]}\n' "$id" ;;
    2e) printf '{"type":"done","id":%s,"steps":[{"fields":{"outcome":' "$id"
        head -c 1000 /dev/zero | tr '\0' '['; head -c 1000 /dev/zero | tr '\0' ']'; echo '}}]}' ;;
    2f) printf '{"type":"done","id":%s}\n' "$id" ;;
    30) printf '{"type":"error","id":%s}\n' "$id" ;;
    31) answer | tr '\n' '\r'; echo ;;
    32) printf '\357\273\277'; answer ;;
    33) answer | sed 's/,/,\n/' ;;
    34) printf '{"type":"alive"}\n'; answer ;;
    35) while :; do echo '{"type":"alive"}'; sleep 0.05; done ;;
    36) answer; sleep 0.2; echo 'late words' ;;
    37) echo 'MemoryError' >&2; exit 1 ;;
    38) printf '{"type":"error","id":%s,"message":"no good","at":["code"' "$id"
        head -c 400000 /dev/zero | tr '\0' ',' | sed 's/,/,"a"/g'
        echo ']}' ;;
    39) printf '{"type":"skip","id":%s,"reason":"%s"}\n' "$id" "$(megabyte)" ;;
    # These misbehave after another case only.
    40) [ $count -gt 1 ] && { echo 'corrupted state' >&2; kill -SEGV $$; }; answer ;;
    41) [ $count -gt 1 ] && sleep 1000; answer ;;
    42) if [ $count -gt 1 ]; then echo 'Traceback'; else answer; fi ;;
    43) [ $count -gt 1 ] && exit 1; answer ;;
    44) if [ $count -gt 1 ]; then fields '{"outcome":"success"}'; else answer; fi ;;
    45) if [ $count -gt 1 ]; then kill -SEGV $$; fi; printf '{"type":"skip","id":%s,"reason":"no calls"}\n' "$id" ;;
    46) if [ $count -gt 1 ]; then kill -SEGV $$; fi; fields '{"outcome":"success"}' ;;
    47) echo "request $count" >&2; if [ $count -gt 1 ]; then kill -SEGV $$; fi; sleep 1000 ;;
    esac
done
case $1 in
fails-last) echo 'leaked 3 blocks' >&2; exit 3 ;;
segv-last) kill -SEGV $$ ;;
speaks-last) echo 'bye' ;;
answers-last) answer ;;
hello-last) hello hostile evm '"outcome"' ;;
half-last) printf '{"type":' ;;
stays) sleep 1000 ;;
loud-last) megabyte >&2 ;;
esac
