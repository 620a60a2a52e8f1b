/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import { isShortOfCredits } from '#packages/acceptance/acceptance.ts'
import { CreditsHint } from '../../look/credits-hint.tsx'
import { CopyBox, formatNumber } from '../../look/parts.tsx'
import type { Answered, TryOptions } from './send-call.ts'

/** The most of an answer that a page shows, characters: a page stays small. */
const MAX_SHOWN = 20_000

type Parts = { answered: Answered; orgId: string; options: TryOptions }

/** What a call was answered, where its form was. */
export function AnswerView({ answered, orgId, options }: Parts): VNode {
  const { status, body, tookMs, job, note, error } = answered
  const text = JSON.stringify(body, null, 2)
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
          <CreditsHint {...options} />
        </p>
      )}
      {note && <p class="notice warn">{note}</p>}
      {job && <JobLink job={job} href={`${options.root}/org/${orgId}/jobs/${job.jobId}`} />}
      <div class="tall">
        <CopyBox text={text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text} />
      </div>
      {text.length > MAX_SHOWN && (
        <p class="quiet small">
          {`These are the first ${formatNumber(MAX_SHOWN)} of ${formatNumber(text.length)} characters. The call below gives all of them.`}
        </p>
      )}
    </section>
  )
}

const JobLink = ({ job: { held }, href }: { job: NonNullable<Answered['job']>; href: string }): VNode => (
  <div class="row accepted">
    <a class="button main" href={href}>
      {held === undefined ? 'See whether there is a job' : 'Follow the job'}
    </a>
    {held !== undefined && (
      <span class="quiet">
        {`${held} ${held === 1 ? 'credit is' : 'credits are'} held until it ends. A job that fails costs nothing.`}
      </span>
    )}
  </div>
)
