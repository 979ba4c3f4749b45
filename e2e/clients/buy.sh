#!/bin/sh
# A purchase with curl, and grep to read the answers.
set -eu

call() { # the path, then what else curl is told
  path=$1
  shift
  curl --silent --show-error --fail-with-body --header "Authorization: Bearer $TOKEN" \
    --header 'Content-Type: application/json' "$@" "$BASE_URL/api/agent/v1$path"
}

ask() { # the owner's wallet signs, or the owner's card pays
  curl --silent --show-error --fail --data-binary "$2" "$OWNER_URL$1"
}

member() { # the first member of that name that is a string, of the JSON on standard input
  grep -o "\"$1\": *\"[^\"]*\"" | head -n 1 | cut -d '"' -f 4
}

key=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
quote=$(call /checks --data "{
  \"request\": \"Say in one sentence how sales developed.\",
  \"work_product\": \"Sales rose 12% in 2025, from 100 to 112.\",
  \"evidence\": [{\"source\": \"annual report\", \"text\": \"Sales were 100 in 2024 and 112 in 2025.\"}],
  \"max_price_microcents\": 500000000,
  \"idempotency_key\": \"$key\"
}")
terms=$(echo "$quote" | member terms_version)
quote_key=$(echo "$quote" | member quote_key)
job=/jobs/$(call "/purchases/$quote_key/authorize" --data "{\"terms_version\": \"$terms\"}" | member job_key)

order="{\"rail\": \"$RAIL\", \"idempotency_key\": \"$RAIL$job\"}"
# curl ends with 22 on a 402, and prints what it asks for.
if asked=$(call "$job/payments" --data "$order"); then
  ask /show "$(echo "$asked" | member continuation_url)" >/dev/null
else
  call "$job/payments" --header "PAYMENT-SIGNATURE: $(ask /sign "$asked")" --data "$order" >/dev/null
fi

while call "$job" --header 'Prefer: wait=25' | member state | grep -qE 'queued|running'; do :; done
verdict=$(call "$job/report" | member verdict)
call "$job/review" --data '{"decision": "accept"}' >/dev/null
paid_by=$(call "$job/receipt" | member rail)
[ "$paid_by" = "$RAIL" ] || { echo "the receipt names $paid_by" >&2; exit 1; }
echo "The verdict is $verdict."
