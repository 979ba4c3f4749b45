"""A purchase with the standard library of Python: urllib, as it comes."""
import json
import os
import uuid
from urllib.error import HTTPError
from urllib.request import Request, urlopen

BASE_URL, TOKEN, RAIL, OWNER_URL = (os.environ[name] for name in ("BASE_URL", "TOKEN", "RAIL", "OWNER_URL"))


def call(path, body=None, **headers):
    """The status of an answer and its body."""
    data = None if body is None else json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    request = Request(f"{BASE_URL}/api/agent/v1{path}", data)
    for name, value in {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json", **named}.items():
        request.add_header(name, value)
    try:
        with urlopen(request) as answer:
            return answer.status, json.load(answer)
    except HTTPError as refused:
        body = json.load(refused)
        if refused.code == 402:
            return refused.code, body
        raise RuntimeError(f"{path}: {body}") from refused


def ask(path, text):
    """The owner's wallet signs, or the owner's card pays."""
    with urlopen(Request(OWNER_URL + path, text.encode())) as answer:
        return answer.read().decode()


_, quote = call(
    "/checks",
    {
        "request": "Say in one sentence how sales developed.",
        "work_product": "Sales rose 12% in 2025, from 100 to 112.",
        "evidence": [{"source": "annual report", "text": "Sales were 100 in 2024 and 112 in 2025."}],
        "max_price_microcents": 500_000_000,
        "idempotency_key": str(uuid.uuid4()),
    },
)
_, job = call(f"/purchases/{quote['quote_key']}/authorize", {"terms_version": quote["terms_version"]})
at = f"/jobs/{job['job_key']}"

order = {"rail": RAIL, "idempotency_key": str(uuid.uuid4())}
status, asked = call(f"{at}/payments", order)
if status == 402:
    call(f"{at}/payments", order, Payment_Signature=ask("/sign", json.dumps(asked)))
else:
    ask("/show", asked["continuation_url"])

_, job = call(at)
while job["state"] in ("queued", "running"):
    _, job = call(at, Prefer="wait=25")
_, report = call(f"{at}/report")
call(f"{at}/review", {"decision": "accept"})
_, receipt = call(f"{at}/receipt")
assert receipt["collection"]["rail"] == RAIL, receipt
print(f"The verdict is {report['verdict']}.")
