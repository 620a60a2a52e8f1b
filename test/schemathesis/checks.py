"""What schemathesis does not know by itself: hooks and checks. It loads this file as `hooks`."""

import os

import schemathesis

FIELDS = {"error", "message", "details", "documentationUrl"}
OWN_KEY_ID = os.environ["OWN_KEY_ID"]


@schemathesis.serializer("application/x-ndjson")
def ndjson_as_text(ctx, value):
    """Sends NDJSON as text, because the document describes it as one string."""
    return value if isinstance(value, bytes) else str(value).encode()


@schemathesis.hook
def before_call(context, case, kwargs):
    """Never revokes the run's own key, which is in the list of keys: every later answer would be 401."""
    if (case.path_parameters or {}).get("id") == OWN_KEY_ID:
        case.path_parameters["id"] = "never-a-key"


@schemathesis.check
def refusals_are_error_objects(ctx, response, case):
    """Every refusal has the Error object as its body, even if the document does not say so (404, 405)."""
    if response.status_code < 400 or response.request.method == "HEAD":
        return
    kind = response.headers.get("content-type", [""])[0]
    assert kind == "application/json; charset=utf-8", f"{response.status_code} came as {kind}"
    try:
        body = response.json()
    except ValueError:
        body = {}
    assert FIELDS <= set(body), f"{response.status_code} is not an Error object: {response.text}"


@schemathesis.check
def undeclared_methods_are_refused(ctx, response, case):
    """Every method that a path does not have is answered 405 with the methods that it has."""
    declared = {method.upper() for method in case.operation.schema[case.operation.path]}
    if "GET" in declared:
        declared.add("HEAD")
    if response.request.method in declared or response.status_code in (401, 429):
        return
    assert response.status_code == 405, f"{response.request.method} was answered {response.status_code}"
    allowed = set(response.headers.get("allow", [""])[0].split(", "))
    assert allowed == declared, f"Allow names {sorted(allowed)}, there are {sorted(declared)}"


@schemathesis.check
def every_answer_has_a_request_id(ctx, response, case):
    """Section "Requests" of the document's description."""
    assert len(response.headers.get("x-request-id", [""])[0]) == 36, "there is no X-Request-Id"
