#!/bin/sh
# A machine of the family toy that reports what it is given, but for the fields after the first word: `echo.sh byte` does
# not report byte.
hello='{"type":"hello","version":1,"name":"echo","release":"1","machines":[{"machine":"toy","fields":["byte","wide","small","any","flag","word","code","packed","maybe","list","three","pair","table","rows","names","ram","tape","rom","tree","masked","bag"]}]}'
while read -r request; do
    case $request in
    *'"type":"hello"'*) printf '%s\n' "$hello" ;;
    *)
        id=${request#*'"id":'}
        program=${request#*'"program":'}
        printf '{"type":"done","id":%s,"steps":[{"fields":%s}]}\n' "${id%%,*}" "${program%,\"steps\":*}"
        ;;
    esac
done
