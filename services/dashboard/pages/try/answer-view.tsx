/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import { isShortOfCredits } from '#packages/jobs/acceptance/short-of-credits.ts'
import { CreditsHint } from '../../look/credits-hint.tsx'
import { CopyBox, formatNumber } from '../../look/parts.tsx'
import { ResultView } from './result-view.tsx'
import type { Answered, TryOptions } from './send-call.ts'

/** How much of an answer a page shows, bytes. With scripts and styles, a page may have at most 60 kB. */
const MAX_SHOWN_BYTES = 10_000

/** The beginning of a text that is too long to show; undefined if all of it fits. */
function beginningOf(text: string): string | undefined {
  const bytes = Buffer.from(text)
  if (bytes.length <= MAX_SHOWN_BYTES) return undefined
  // The cut may have split the last character.
  return `${bytes
    .subarray(0, MAX_SHOWN_BYTES)
    .toString()
    .replace(/\uFFFD$/, '')}…`
}

type Parts = {
  answered: Answered
  orgId: string
  options: TryOptions
  /** The job is shown below, with a link of its own. */
  hasJob: boolean
}

/** The answer to a call of a form. */
export function AnswerView({ answered, orgId, options, hasJob }: Parts): VNode {
  const { status, body, tookMs, job, note, error } = answered
  const text = JSON.stringify(body, null, 2)
  const beginning = beginningOf(text)
  /** Whether the answer itself is the requested result. */
  const isRead = error === undefined && job === undefined
  return (
    <section class="card" id="answer" tabIndex={-1} aria-labelledby="answer-title">
      <div class="head">
        <h2 id="answer-title">Answer</h2>
        <p class="row">
          <span class={`badge ${error === undefined ? 'good' : 'bad'}`}>
            {`HTTP ${status}${error === undefined ? '' : ` · ${error.code}`}`}
          </span>
          <span class="quiet small">{`${formatNumber(tookMs)} ms`}</span>
        </p>
      </div>
      {error && <p role="alert">{error.message}</p>}
      {error?.retryAfterSeconds !== undefined && (
        <p>{`Try again in ${formatNumber(error.retryAfterSeconds)} seconds.`}</p>
      )}
      {isShortOfCredits(error) && (
        <p>
          <CreditsHint base={`${options.root}/org/${orgId}`} />
        </p>
      )}
      {note && <p class="notice warn">{note}</p>}
      {job && !hasJob && <JobLink job={job} href={`${options.root}/org/${orgId}/jobs/${job.jobId}`} />}
      {isRead && <ResultView body={body} transcripts={`${options.root}/org/${orgId}/try/transcript`} />}
      {isRead ? (
        <details class="fold">
          <summary>JSON</summary>
          <Json text={beginning ?? text} />
        </details>
      ) : (
        <Json text={beginning ?? text} />
      )}
      {beginning !== undefined && (
        <p class="quiet small">
          {`This is the beginning: the answer has ${formatNumber(text.length)} characters. The code below gets all of them.`}
        </p>
      )}
    </section>
  )
}

const Json = ({ text }: { text: string }): VNode => (
  <div class="tall">
    <CopyBox text={text} />
  </div>
)

export const heldWords = (held: number): string =>
  `${held} ${held === 1 ? 'credit is' : 'credits are'} held until it ends. A job that fails costs nothing.`

const JobLink = ({ job: { held }, href }: { job: NonNullable<Answered['job']>; href: string }): VNode => (
  <div class="row accepted">
    <a class="button main" href={href}>
      {held === undefined ? 'Look for the job' : 'Open the job'}
    </a>
    {held !== undefined && <span class="quiet">{heldWords(held)}</span>}
  </div>
)
