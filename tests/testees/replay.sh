#!/bin/sh
# A machine that answers as it was recorded: the lines of the file are requests and answers in turn. A request that was
# too long to record is an empty line there.

while read -r request; do
    read -r recorded <&3 && read -r answer <&3 || exit 1
    case $request in
    *'"type":"hello"'*) ;;
    *) [ -z "$recorded" ] || [ "$request" = "$recorded" ] || { echo "not the recorded request: $request" >&2; exit 1; } ;;
    esac
    printf '%s\n' "$answer"
done 3<"$1"
