"""Runs a flaky tool and asks a Faultline server what to do about each failure.

    FAULTLINE_URL=http://127.0.0.1:7431 FAULTLINE_TOKEN=$(cat .faultline/operator.token) \
        python3 retry_loop.py https://api.example.com/search

Needs only `requests`. Prints the tool's answer; exits with 1 when Faultline says that it is over.
"""

import os
import sys
import time

import requests

SERVER = os.environ.get("FAULTLINE_URL", "http://127.0.0.1:7431")
HEADERS = {"Authorization": "Bearer " + os.environ["FAULTLINE_TOKEN"]}


def ask(path, body):
    """Reports to the server; its own refusals end the program with the server's words."""
    answer = requests.post(SERVER + path, json=body, headers=HEADERS, timeout=10)
    if not answer.ok:
        problem = answer.json()
        sys.exit(f"{problem['title']}: {problem['detail']} {problem['next']}")
    return answer.json()


def evidence_of(call):
    """Runs the tool. Returns its answer, or what there is to see of its failure."""
    try:
        response = call()
    except requests.RequestException as error:
        return None, {"message": f"{type(error).__name__}: {error}"}
    if response.ok:
        return response, None
    return None, {"status": response.status_code, "headers": dict(response.headers), "body": response.text[:4000]}


def may_call(tool, others):
    """Waits until a tool is in service. Returns its name: the one that was asked for, or another one."""
    while True:
        may = ask("/v1/calls/ask", {"tool": tool, "alternatives": list(others)})
        if may["action"] == "attempt":
            return may["tool"]
        if may["action"] == "stop":
            sys.exit(f"{tool} was taken out of service.")
        time.sleep(may["waitMs"] / 1000)


def protect(tool, call, alternatives=None, idempotent=False):
    """Calls until it works or the server says stop. `alternatives`: other functions by name."""
    others = alternatives or {}
    runs = {tool: call, **others}
    tool = may_call(tool, others)
    failure = None
    attempt = 1
    while True:
        started = time.monotonic()
        response, evidence = evidence_of(runs[tool])
        duration_ms = (time.monotonic() - started) * 1000
        if response is not None:
            if failure is None:
                ask("/v1/calls/succeeded", {"tool": tool, "durationMs": duration_ms})
            else:
                ask(f"/v1/failures/{failure}/outcome", {"status": "succeeded", "durationMs": duration_ms})
            return response
        report = {
            "tool": tool,
            "attempt": attempt,
            "evidence": evidence,
            "idempotent": idempotent,
            "alternatives": list(others),
            "durationMs": duration_ms,
        }
        if failure is not None:
            report["failure"] = failure
        decision = ask("/v1/failures", report)
        failure = decision["id"]
        print(f"{tool}: {decision['fault']['title']}. {decision['decision']['says']}", file=sys.stderr)
        if decision["action"] == "stop":
            sys.exit(f"{decision['words']['user']} {decision['fault']['next']}")
        if decision["action"] == "ask":
            sys.exit(f"A person has to decide: {decision['question']['prompt']}")
        time.sleep(decision["waitMs"] / 1000)
        attempt = decision["attempt"] + 1 if decision["tool"] == tool else 1
        tool = decision["tool"]


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: retry_loop.py <url> [<alternative url>]")
    first, *rest = sys.argv[1:]
    answer = protect(
        "search",
        lambda: requests.get(first, timeout=5),
        alternatives={f"search_{index + 2}": (lambda url=url: requests.get(url, timeout=5)) for index, url in enumerate(rest)},
        idempotent=True,
    )
    print(answer.text)
