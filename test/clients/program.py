"""
Works with a client in Python that openapi-python-client has generated from /openapi.json, in the folder `generated` beside
this program. Arguments: base URL, key, a video with captions, a private one. Prints the answers as JSON.
"""

import json
import sys

from generated import AuthenticatedClient
from generated.api.transcripts import get_transcript, request_transcript
from generated.api.videos import get_video_metadata
from generated.models import (
    AcceptedJob,
    ErrorFacts,
    ErrorObject,
    FailureCode,
    TranscriptJob,
    TranscriptJobStatus,
    TranscriptRequest,
    TranscriptRequestMode,
)

base_url, key, captioned, hidden = sys.argv[1:]
client = AuthenticatedClient(base_url=base_url, token=key, prefix="", auth_header_name="x-api-key", timeout=60)


def job_of(url: str) -> TranscriptJob:
    body = TranscriptRequest(url=url, mode=TranscriptRequestMode.NATIVE)
    accepted = request_transcript.sync(client=client, body=body)
    assert isinstance(accepted, AcceptedJob), accepted
    while True:
        job = get_transcript.sync(accepted.job_id, client=client, prefer="wait=30")
        assert isinstance(job, TranscriptJob), job
        if job.status != TranscriptJobStatus.QUEUED:
            return job


result = job_of(captioned).result_json
failure = job_of(hidden).error
error = get_video_metadata.sync(client=client, url_query=hidden)
assert isinstance(error, ErrorObject), error
assert isinstance(error.details, ErrorFacts), error
told = {
    "segments": result and len(result.segments),
    "source": result and result.source.value,
    "failure": failure and failure.code.value,
    "error": error.error.value,
    "code": error.details.code == FailureCode.VIDEO_PRIVATE and error.details.code.value,
    "documentationUrl": error.documentation_url,
}
print(json.dumps(told))
