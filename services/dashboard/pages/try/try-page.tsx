/** @jsxRuntime automatic @jsxImportSource preact */

import type { VNode } from 'preact'
import type { Place } from '#packages/content/results/transcript-page.ts'
import { Notice, type Problems, problemsOf, Submit } from '../../look/parts.tsx'
import { ONCE } from '../../once.ts'
import { pathOf } from '../../route.ts'
import { JobOutcome } from '../jobs/job-page.tsx'
import type { ReadJob } from '../jobs/read-job.ts'
import { AnswerView, heldWords } from './answer-view.tsx'
import { CodeView } from './code-view.tsx'
import { FieldsView } from './field-view.tsx'
import { type Operation, operations } from './operations.ts'
import type { Answered, TryOptions } from './send-call.ts'

/** The list of operations to choose from. */
export const TryIndex = ({ root, orgId }: { root: string; orgId: string }): VNode => (
  <>
    <h1>Try it</h1>
    <p class="quiet">Run any API call from here and copy it as code. Calls use your credits and rate limits.</p>
    <ul class="grid plain">
      {operations.map(({ name, title, summary, price }) => (
        <li key={name} class="card choose">
          <h2>
            <a href={`${root}${pathOf(orgId, 'try')}/${name}`}>{title}</a>
          </h2>
          <p>{summary}</p>
          <p class="quiet small">{price}</p>
        </li>
      ))}
    </ul>
  </>
)

type TryParts = {
  operation: Operation
  orgId: string
  options: TryOptions
  baseUrl: string
  /** What was typed, or the initial values. */
  form: URLSearchParams
  /** An id that is new each time the form is shown. */
  once: string
  answered?: Answered | undefined
  /** The job that the form made. */
  job?: ReadJob | undefined
  place: Place
}

/** One operation: its form, the answer, and the call as code. */
export function TryPage(parts: TryParts): VNode {
  const { operation, orgId, options, baseUrl, form, answered, job } = parts
  const { title, summary, price, method, path } = operation
  return (
    <>
      <h1>{title}</h1>
      <Operations root={options.root} orgId={orgId} current={operation} />
      <p>
        {summary} <span class="quiet">{price}</span>
      </p>
      {operation.name === 'extract' && !options.extracts && (
        <Notice tone="warn">
          <p>
            Extractions are not available: the operator has not set <code>LLM_BASE_URL</code>.
          </p>
        </Notice>
      )}
      {answered && <AnswerView answered={answered} orgId={orgId} options={options} hasJob={job !== undefined} />}
      {job && (
        <MadeJob job={job} path={`${options.root}${pathOf(orgId, 'jobs')}/${job.details.jobId}`} place={parts.place} />
      )}
      <div class="beside">
        <section class="card" aria-labelledby="form-title">
          <div class="head">
            <h2 id="form-title">Request</h2>
            <code class="quiet">{`${method} ${path}`}</code>
          </div>
          <TryForm {...parts} />
        </section>
        <CodeView operation={operation} form={form} baseUrl={baseUrl} />
      </div>
    </>
  )
}

/** The job that the form made, for as long as the page is open. */
function MadeJob({ job, path, place }: Parameters<typeof JobOutcome>[0]): VNode {
  const { charged, held } = job.details.credits
  return (
    <>
      <div class="row accepted">
        <a class="button main" href={path}>
          Open the job
        </a>
        <span class="quiet">{charged === null ? heldWords(held) : `Credits charged: ${charged}`}</span>
      </div>
      <JobOutcome job={job} path={path} place={place} />
    </>
  )
}

const Operations = ({ root, orgId, current }: { root: string; orgId: string; current: Operation }): VNode => (
  <nav class="tabs" aria-label="Operations">
    {operations.map(({ name, title }) => (
      <a
        key={name}
        href={`${root}${pathOf(orgId, 'try')}/${name}`}
        aria-current={name === current.name ? 'page' : undefined}
      >
        {title}
      </a>
    ))}
  </nav>
)

function TryForm({ operation, orgId, options, form, once, answered }: TryParts): VNode {
  const { name, fields, act } = operation
  const problems: Problems = answered?.error === undefined ? {} : problemsOf(answered.error)
  const shown = fields.filter((field) => field.name !== 'speakers' || options.speech.tellsSpeakers)
  return (
    <form method="post" action={`${options.root}${pathOf(orgId, 'try')}/${name}#answer`} id="try-form">
      <input type="hidden" name={ONCE} value={once} />
      <FieldsView fields={shown} form={form} problems={problems} />
      <Submit>{act}</Submit>
    </form>
  )
}
