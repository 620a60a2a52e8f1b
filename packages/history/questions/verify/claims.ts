import { RELEASED, type Step } from '#packages/domain/job/events.ts'
import { reusesResult } from '#packages/domain/job/reuse.ts'
import type { OpenJob } from '#packages/domain/job/state.ts'
import type { Check } from './check.ts'
import { Verdict } from './outcome.ts'
import type { StoredJobEvent } from './traces.ts'

/** Invariant 7, as far as events show: work that is done twice, late or by the wrong worker leaves no event. */
export function claims(): Check {
  const verdict = new Verdict('7', 'only the holder of a claim goes on with a job, and each result stands there once')
  return {
    verdict,
    onJob(event, { job }) {
      if (job.status !== 'open') return
      verdict.checked()
      const wrong = wrongIn(event, job)
      if (wrong !== undefined) verdict.broken(event, wrong)
    },
  }
}

function wrongIn(event: StoredJobEvent, job: OpenJob): string | undefined {
  switch (event.type) {
    case 'JobRequested':
      return 'the job was requested already'
    case 'StepStarted': {
      const { step, attempt } = event.data
      const last = job.progress[step]?.starts ?? 0
      return attempt === last + 1 ? undefined : `${step} is started as attempt ${attempt}, after ${last}`
    }
    case 'LeaseExtended':
      return withoutClaim(event, job, event.data.step)
    case 'StepFailed': {
      const { step, attempt, code } = event.data
      // The orchestrator releases the claims of a lost worker.
      if (code !== RELEASED) return withoutClaim(event, job, step)
      return job.claim?.step === step && job.claim.attempt === attempt
        ? undefined
        : 'it gives back a claim that is not held'
    }
    case 'VideoFetched':
      return job.fetched ? 'the video was fetched already' : withoutClaim(event, job, 'fetch')
    case 'CaptionsRead':
    case 'CaptionsUnavailable':
      return job.captions !== 'unread' ? 'captions were read already' : withoutClaim(event, job, 'caption')
    case 'SpeechTranscribed':
      return job.transcribed ? 'the speech was transcribed already' : withoutClaim(event, job, 'speech-to-text')
    case 'ExtractionProduced':
      return job.extracted ? 'the extraction was made already' : withoutClaim(event, job, 'extract')
    default:
      return undefined
  }
}

/** A worker names its task as the cause of its events: job/revision/step/attempt. */
function withoutClaim({ metadata }: StoredJobEvent, job: OpenJob, step: Step): string | undefined {
  // Its results are copies, so no worker holds the job.
  if (reusesResult(job)) return undefined
  const { claim } = job
  const held = claim === undefined ? 'nobody holds a claim' : `${claim.step}/${claim.attempt} is claimed`
  const [, , ownStep, attempt] = metadata.causationId.split('/')
  if (claim?.step !== step) return `it is an event of ${step}, and ${held}`
  const isOwn = ownStep === undefined || (ownStep === step && Number(attempt) === claim.attempt)
  return isOwn ? undefined : `it is written by ${ownStep}/${attempt}, and ${held}`
}
