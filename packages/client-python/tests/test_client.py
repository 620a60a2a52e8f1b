import email.utils
import json
import pickle
import time

import pytest
from conftest import HANG_UP, BreaksOff

from video_intelligence import VideoIntelligenceError

URL = "https://cdn.example.com/film.mp4"
ME = {"json": {"orgId": "o", "name": "Acme", "creditsRemaining": 50}}
ENDED = {"jobId": "j", "status": "completed", "resultJson": {"text": "Hi."}, "error": None}
QUEUED = {"jobId": "j", "status": "queued", "resultJson": None, "error": None}


def refusal(status, error, headers=None, /, **more):
    body = {"error": error, "message": f"It is {error}.", "details": None, "documentationUrl": None, **more}
    return {"status_code": status, "json": body, "headers": headers or {}}


def failure(service, work, *answers, **options):
    with pytest.raises(VideoIntelligenceError) as raised:
        service.ask(work, *answers, **options)
    return raised.value


def paths(service):
    return [f"{request.method} {request.url.raw_path.decode()}" for request in service.asked]


def test_one_call_is_enough_for_a_job_that_has_ended_by_its_answer(service):
    assert service.ask(lambda client: client.transcripts.run({"url": URL}), {"json": ENDED}) == {"text": "Hi."}
    (request,) = service.asked
    assert (paths(service), request.headers["prefer"]) == (["POST /v1/transcript"], "wait=2")
    assert request.headers["x-api-key"] == "ma_key"
    assert json.loads(request.content) == {"url": URL}
    assert request.extensions["timeout"]["read"] == 32


def test_a_lost_post_is_repeated_under_the_same_key(service):
    answers = [HANG_UP, HANG_UP, {"status_code": 202, "json": {"jobId": "j", "status": "queued"}}]
    assert service.ask(lambda client: client.transcripts.request({"url": URL}), *answers) == "j"
    assert len(service.asked) == 3
    assert len({request.headers["idempotency-key"] for request in service.asked}) == 1


def test_a_call_that_may_not_be_repeated_is_repeated_only_after_a_429(service):
    answers = [refusal(429, "rate_limited", {"retry-after": "3"}), HANG_UP]
    error = failure(service, lambda client: client.create_key("laptop", monthly_credits=5), *answers)
    assert (error.code, error.status, service.pauses) == ("network_error", 0, [3])
    assert json.loads(service.asked[1].content) == {"name": "laptop", "monthlyCredits": 5}


def test_a_429_is_waited_for_by_the_clock_of_the_service(service):
    now = int(time.time()) - 3600
    headers = {
        "date": email.utils.formatdate(now, usegmt=True),
        "x-ratelimit-reset": str(now + 7),
        "retry-after": "1",
    }
    assert service.ask(lambda client: client.me(), refusal(429, "rate_limited", headers), ME) == ME["json"]
    assert service.pauses == [7]


@pytest.mark.parametrize(("options", "requests"), [({"max_retries": 2}, 3), ({"max_pause_seconds": 8}, 1)])
def test_retries_and_pauses_have_limits(service, options, requests):
    answer = refusal(429, "rate_limited", {"retry-after": "9"})
    error = failure(service, lambda client: client.me(), answer, **options)
    assert (error.code, error.retry_after_seconds, len(service.asked)) == ("rate_limited", 9, requests)


def test_a_503_is_repeated_only_if_it_says_when(service):
    answer = refusal(503, "unavailable", {"retry-after": "0"})
    assert service.ask(lambda client: client.me(), answer, ME) == ME["json"]
    service.asked.clear()
    assert failure(service, lambda client: client.me(), refusal(503, "unavailable")).code == "unavailable"
    assert len(service.asked) == 1


def test_a_504_with_a_job_is_its_end_and_that_of_a_gateway_a_lost_answer(service):
    end = refusal(504, "timeout", jobId="j", status="failed", resultJson=None)
    lost = {"status_code": 504, "text": "<html>gateway</html>"}
    error = failure(service, lambda client: client.transcripts.wait("j"), lost, end)
    assert (error.code, error.status, error.job_id, error.message) == ("timeout", 504, "j", "It is timeout.")
    assert len(service.asked) == 2


@pytest.mark.parametrize("status", [302, 400, 401, 403, 404, 409, 500, 502])
def test_a_refusal_is_final_and_has_its_facts(service, status):
    headers = {"location": "https://elsewhere.example.com/", "x-request-id": "r"}
    details = {"reason": "credits", "jobId": "j"}
    answer = refusal(status, "forbidden", headers, details=details, documentationUrl="https://docs")
    error = failure(service, lambda client: client.metadata(URL), answer)
    assert vars(error) == {
        "code": "forbidden",
        "message": "It is forbidden.",
        "status": status,
        "details": details,
        "documentation_url": "https://docs",
        "request_id": "r",
        "job_id": "j",
        "retry_after_seconds": None,
    }
    assert (len(service.asked), str(error)) == (1, "forbidden: It is forbidden.")
    assert vars(pickle.loads(pickle.dumps(error))) == vars(error)


def test_another_server_is_recognized(service):
    assert failure(service, lambda client: client.me(), {"text": "<html>"}).code == "invalid_response"


def test_a_job_is_polled_120_times_with_pauses(service):
    polls = []
    error = failure(service, lambda client: client.transcripts.wait("j", on_poll=polls.append), {"json": QUEUED})
    assert (error.code, error.job_id, len(service.asked), polls[-1]) == ("timeout", "j", 120, 120)
    assert 0.9 < service.pauses[0] <= 1


def test_a_failed_job_raises_its_own_code(service):
    failed = {**QUEUED, "status": "failed", "error": {"code": "no_speech", "message": "Nobody speaks."}}
    error = failure(service, lambda client: client.extractions.run({"url": URL, "prompt": "Who?"}), {"json": failed})
    assert (error.code, error.message, error.job_id) == ("no_speech", "Nobody speaks.", "j")


def event(number):
    return f"id: {number}\nevent: step_started\ndata: {json.dumps({'id': number})}\n\n"


def test_following_continues_where_the_stream_broke_off(service):
    # U+2028 does not end a line here.
    failed = 'event: step_failed\ndata: {"id":8,"message":"a\u2028b"}\n\n'
    streams = [
        {"stream": BreaksOff(f": beat\n\n{event(5)}{event(7)[:-2]}")},
        {"text": f"{event(7)}"},
        {"text": f"{failed}event: end\ndata: {{}}\n\n"},
    ]
    events = service.ask(lambda client: client.follow("j", after=4), *streams)
    assert [happened["id"] for happened in events] == [5, 7, 8]
    assert events[-1]["message"] == "a\u2028b"
    assert paths(service) == [f"GET /v1/jobs/j/events?after={after}" for after in (4, 5, 7)]
    assert service.pauses == [1, 1]


def test_results_of_a_batch_come_item_by_item_and_say_if_they_break_off(service):
    lines = '{"item":0,"result":{"text":"Hi."}}\n{"item":1,"result":null}\n'
    results = service.ask(lambda client: client.batches.results("b"), {"text": lines})
    assert [result["item"] for result in results] == [0, 1]
    for beginning in (lines, lines[:-4]):
        error = failure(service, lambda client: client.batches.results("b"), {"stream": BreaksOff(beginning)})
        assert (error.code, error.message) == ("network_error", "The results broke off before their end.")
    parts = service.ask(lambda client: client.batches.file("b", "csv"), HANG_UP, {"text": "item\n0\n"})
    assert b"".join(parts) == b"item\n0\n"
    assert paths(service)[-1] == "GET /v1/batches/b/results?format=csv"


def test_a_batch_is_waited_for_and_shows_its_progress(service):
    running, ended = ({"batchId": "b", "status": status} for status in ("running", "ended"))
    seen = []
    body = {"operation": "transcript", "requests": [URL]}
    answers = [{"json": running}, {"json": running}, {"json": ended}]
    assert service.ask(lambda client: client.batches.run(body, on_progress=seen.append), *answers) == ended
    assert (seen, service.pauses) == ([running, ended], [2])


def test_pages_follow_their_links(service):
    first = {"json": [1], "headers": {"link": '<?cursor=a%2Fb&q=x>; rel="next"'}}
    pages = service.ask(lambda client: client.search_pages(q="x y", limit=1), first, {"json": [2]})
    assert pages == [[1], [2]]
    assert paths(service) == ["GET /v1/search?q=x+y&limit=1", "GET /v1/search?q=x+y&limit=1&cursor=a%2Fb"]


def test_all_that_a_watch_has_found_comes_page_by_page(service):
    answers = [{"json": {"found": [n], "next": n, "hasMore": n < 2}} for n in (1, 2)]
    assert service.ask(lambda client: client.watches.all_found("w/1"), *answers) == [1, 2]
    assert paths(service) == [f"GET /v1/watches/w%2F1/found?after={after}&limit=100" for after in (0, 1)]


def test_parameters_have_the_names_of_the_service(service):
    service.ask(lambda client: client.jobs(key_id="k", created_after="2026-01-01T00:00:00Z"), {"json": {}})
    service.ask(lambda client: client.usage(from_="2026-01-01", group_by="key"), {"json": {}})
    assert paths(service) == [
        "GET /v1/jobs?keyId=k&createdAfter=2026-01-01T00%3A00%3A00Z",
        "GET /v1/usage?from=2026-01-01&groupBy=key",
    ]


def test_metadata_names_the_fields_that_could_not_be_read(service):
    answer = {"json": {"title": "film"}, "headers": {"x-metadata-incomplete": "duration, viewCount"}}
    metadata = service.ask(lambda client: client.metadata(URL, include=["captions", "chapters"]), answer)
    assert metadata == {"title": "film", "incomplete": ["duration", "viewCount"]}
    assert service.asked[0].url.params["include"] == "captions,chapters"


def test_a_transcript_that_is_not_completed_has_no_text(service):
    for ask in (lambda client: client.transcript_text("j", "srt"), lambda client: client.transcript_chunks("j", 200)):
        assert failure(service, ask, {"json": QUEUED}).code == "not_completed"
