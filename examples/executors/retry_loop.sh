#!/usr/bin/env bash
# Runs a flaky command and asks a Faultline server what to do about each failure.
#
#   FAULTLINE_TOKEN=$(cat .faultline/operator.token) ./retry_loop.sh deploy ./deploy.sh staging
#
# Needs curl and jq. The first argument names the tool, the rest is the command. Set FAULTLINE_IDEMPOTENT=true when the command may run
# twice without harm: otherwise a command that may have done its work is not run again.
set -uo pipefail

server=${FAULTLINE_URL:-http://127.0.0.1:7431}
: "${FAULTLINE_TOKEN:?set it to the token in .faultline/operator.token}"
[ $# -ge 2 ] || { echo "usage: retry_loop.sh <tool> <command> [argument …]" >&2; exit 2; }
tool=$1
shift

ask() { # path, body
  local answer
  answer=$(curl -sS --max-time 10 -X POST "$server$1" -H "Authorization: Bearer $FAULTLINE_TOKEN" \
    -H "Content-Type: application/json" -d "$2") || exit 1
  if [ "$(jq -r '.correlation_id // empty' <<<"$answer")" ]; then
    jq -r '"\(.title): \(.detail) \(.next)"' <<<"$answer" >&2
    exit 1
  fi
  printf '%s' "$answer"
}

errors=$(mktemp)
trap 'rm -f "$errors"' EXIT
named=$(jq -n --arg tool "$tool" '{tool: $tool}')
while may=$(ask /v1/calls/ask "$named") || exit 1; [ "$(jq -r .action <<<"$may")" != attempt ]; do
  [ "$(jq -r .action <<<"$may")" = wait ] || { echo "$tool was taken out of service." >&2; exit 1; }
  sleep "$(jq -r '.waitMs / 1000' <<<"$may")"
done
failure=
attempt=1
while :; do
  "$@" 2>"$errors"
  code=$?
  cat "$errors" >&2
  if [ $code -eq 0 ]; then
    if [ -z "$failure" ]; then ask /v1/calls/succeeded "$named" >/dev/null
    else ask "/v1/failures/$failure/outcome" '{"status":"succeeded"}' >/dev/null; fi
    exit 0
  fi
  report=$(jq -n --arg tool "$tool" --arg text "$(tail -c 4000 "$errors")" --arg failure "$failure" \
    --argjson code $code --argjson attempt $attempt --argjson idempotent "${FAULTLINE_IDEMPOTENT:-false}" '
    {tool: $tool, attempt: $attempt, idempotent: $idempotent, surface: "cli", evidence: {exitCode: $code, message: $text}}
    + (if $failure == "" then {} else {failure: $failure} end)')
  decision=$(ask /v1/failures "$report") || exit 1
  failure=$(jq -r .id <<<"$decision")
  jq -r '"\(.tool): \(.fault.title). \(.decision.says)"' <<<"$decision" >&2
  case $(jq -r .action <<<"$decision") in
    attempt | wait) sleep "$(jq -r '.waitMs / 1000' <<<"$decision")" ;;
    ask) jq -r '"A person has to decide: \(.question.prompt)"' <<<"$decision" >&2; exit 1 ;;
    *) jq -r '"\(.words.user) \(.fault.next)"' <<<"$decision" >&2; exit 1 ;;
  esac
  attempt=$(($(jq -r .attempt <<<"$decision") + 1))
done
