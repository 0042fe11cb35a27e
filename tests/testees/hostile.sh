#!/bin/sh
# A machine in another process that misbehaves as the input of the program says, a word in hex.

answer() { printf '{"type":"done","id":%s,"steps":[{"fields":{"outcome":"halt"}}],"ended":"halted"}\n' "$id"; }
fields() { printf '{"type":"done","id":%s,"steps":[{"fields":%s}]}\n' "$id" "$1"; }
megabyte() { head -c 1000000 /dev/zero | tr '\0' x; }

read -r hello
case $1 in
silent) exec sleep 1000 ;;
banner) echo 'Welcome!' ;;
dead) echo 'no such module' >&2; exit 1 ;;
newer) echo '{"type":"hello","version":2,"name":"hostile","release":"1","machines":[]}' ;;
esac
fields='"outcome"'
[ "$1" = bare ] && fields=
printf '{"type":"hello","version":1,"name":"hostile","release":"1","machines":[{"machine":"evm","fields":[%s]}]}\n' "$fields"
while read -r request; do
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
    24) memory=$(head -c 30000000 /dev/zero | tr "\0" x); while :; do memory=$memory$memory; done ;;
    25) answer; printf '{"type":"done","id":' ;;
    26) printf '{"type":"done","id":-1,"steps":[]}\n' ;;
    27) exec <&- >&- 2>&-; sleep 1000 ;;
    28) kill -TERM $$ ;;
    29) fields '{"outcome":1.5}' ;;
    2a) setsid sleep 20 & exit 4 ;;
    esac
done
