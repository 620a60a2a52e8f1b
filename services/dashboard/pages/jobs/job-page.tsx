/** @jsxRuntime automatic @jsxImportSource preact */

import type { ComponentChildren, VNode } from 'preact'
import type { EventData } from '#contracts/generated/events.ts'
import type { CreditsTransaction, JobDetails } from '#contracts/generated/http.ts'
import type { Place } from '#packages/content/results/transcript-page.ts'
import { Marked } from '../../look/marked.tsx'
import { Copied, Facts, formatNumber, formatSigned, Notice, OutLink, TableHead, Time } from '../../look/parts.tsx'
import { ONCE } from '../../once.ts'
import { AskedView } from './asked-view.tsx'
import {
  askedFor,
  costWords,
  failureOf,
  languageWords,
  nameOf,
  platformLabels,
  StandingBadge,
  shortUrl,
  surfaceLabels,
  warningWords,
} from './job-words.tsx'
import type { JobResult, ReadJob } from './read-job.ts'
import { ResultTree } from './result-tree.tsx'
import { Thumbnail } from './thumbnails.tsx'
import { TimelineView } from './timeline-view.tsx'
import { TranscriptView } from './transcript-view.tsx'

export type JobPageParts = {
  job: ReadJob
  platform: string | null
  /** The address of a picture of the video. */
  picture: string | undefined
  /** The address of the list of jobs, without a final slash. */
  list: string
  /** The address of the organization's batches. */
  batches: string
  place: Place
  /** Identifies a form that is sent twice. */
  once: string
  /** The outcome of a form, shown above everything else. */
  problem: VNode | undefined
}

/** The title of its page. */
export const headingOf = ({ title, details: { url } }: ReadJob): string =>
  url === null ? 'A job that was not accepted' : nameOf({ title, url })

const open: ReadonlySet<JobDetails['state']> = new Set(['waiting', 'working', 'settling'])

export function JobPage({ job, platform, picture, list, batches, place, once, problem }: JobPageParts): VNode {
  const { details, request, result } = job
  const { jobId, url, state, warnings } = details
  const path = `${list}/${jobId}`
  const isOpen = open.has(state)
  // The same request would fail again, but not with speech-to-text.
  const speechMends = details.error?.code === 'captions_unavailable'
  return (
    <>
      <a class="back" href={list}>
        All jobs
      </a>
      <div class="head">
        <div class="video">
          {picture !== undefined && <Thumbnail src={picture} isLarge />}
          <h1>{headingOf(job)}</h1>
        </div>
        <div class="row">
          {isOpen && (
            <form method="post" action={`${path}/cancel`}>
              <button type="submit" class="bad">
                Cancel
              </button>
            </form>
          )}
          {request && !isOpen && !speechMends && <Again path={path} once={once} request={request} />}
        </div>
      </div>
      <p class="row">
        <StandingBadge of={state} />
        <span>{askedFor(details)}</span>
        {url !== null && (
          <span class="quiet">
            {platform !== null && `${platformLabels.get(platform)}: `}
            <OutLink href={url}>{shortUrl(url)}</OutLink>
          </span>
        )}
      </p>
      {problem}
      {details.error !== null && state === 'failed' && (
        <Failure error={details.error}>
          {speechMends && request && (
            <Again path={path} once={once} request={{ ...request, mode: 'auto' }} label="Run with mode auto" />
          )}
        </Failure>
      )}
      <Warnings warnings={warnings} />
      <div class="split">
        <div>
          {result && <Result path={path} url={url ?? ''} result={result} place={place} />}
          <Progress job={job} path={path} />
          {request?.kind === 'extraction' && (
            <AskedView prompt={request.prompt ?? ''} schema={request.schema} whole={`${path}/request.json`} />
          )}
        </div>
        <div>
          <Credits details={details} lines={job.lines.missing ? undefined : job.lines.value} />
          <Details job={job} list={list} batches={batches} />
          {!isOpen && <Deletion path={path} />}
        </div>
      </div>
    </>
  )
}

/** The outcome of a job on the page that requested it: its result or failure, and its timeline. */
export function JobOutcome({ job, path, place }: { job: ReadJob; path: string; place: Place }): VNode {
  const { error, state, warnings, url } = job.details
  return (
    <>
      {error !== null && state === 'failed' && <Failure error={error} />}
      <Warnings warnings={warnings} />
      {job.result && <Result path={path} url={url ?? ''} result={job.result} place={place} />}
      <Progress job={job} path={path} />
    </>
  )
}

const Warnings = ({ warnings }: Pick<JobDetails, 'warnings'>): VNode => (
  <>
    {warnings.map((warning) => (
      <Notice key={warning.code} tone="warn">
        <p>{warningWords(warning)}</p>
      </Notice>
    ))}
  </>
)

type Asked = Pick<EventData['JobRequested'], 'kind' | 'mode'>
type AgainParts = { path: string; once: string; request: Asked; label?: string }

/** A button that begins another job with the same request, in the same or another mode. It names the price. */
const Again = ({ path, once, request, label = 'Run again' }: AgainParts): VNode => (
  <form method="post" action={`${path}/again`}>
    <input type="hidden" name={ONCE} value={once} />
    {request.mode !== null && <input type="hidden" name="mode" value={request.mode} />}
    <button type="submit">{`${label} (${costWords(request)})`}</button>
  </form>
)

type FailureParts = { error: { code: string; message: string }; children?: ComponentChildren }

function Failure({ error: { code, message }, children }: FailureParts): VNode {
  const { meaning, advice } = failureOf(code)
  return (
    <Notice tone="bad">
      <p>
        <strong>{message || <Marked text={meaning} />}</strong>
      </p>
      <p>
        <Marked text={advice} />
      </p>
      <p class="small">
        You were not charged. Code: <code>{code}</code>
      </p>
      {children}
    </Notice>
  )
}

function Result({ path, url, result, place }: { path: string; url: string; result: JobResult; place: Place }): VNode {
  if (result.kind === 'transcript')
    return <TranscriptView path={path} url={url} transcript={result.page} place={place} />
  return (
    <section class="card" aria-labelledby="extraction">
      <div class="head">
        <h2 id="extraction">Extraction</h2>
        <div class="row">
          <button type="button" data-island="copyFile" data-file={`${path}/extraction.json`} hidden>
            Copy JSON
          </button>
          <a class="button" href={`${path}/extraction.json`} download>
            JSON
          </a>
        </div>
      </div>
      <ResultTree value={result.value} />
    </section>
  )
}

/** While the job runs, the browser keeps it up to date. */
function Progress({ job, path }: { job: ReadJob; path: string }): VNode {
  const { events, now, lines, details } = job
  const { progress } = details
  const settled = lines.missing ? undefined : lines.value.find(({ type }) => type === 'settlement')
  const settledAt = settled && Date.parse(settled.createdAt)
  const isOpen = open.has(details.state)
  return (
    <section class="card" aria-labelledby="timeline">
      <h2 id="timeline">Timeline</h2>
      {isOpen ? (
        <div data-island="job" data-props={JSON.stringify({ events, now, progress, address: `${path}/events` })}>
          <TimelineView events={events} now={now} progress={progress} />
        </div>
      ) : (
        <TimelineView events={events} now={now} settledAt={settledAt} progress={null} />
      )}
      {isOpen && (
        <noscript>
          <p>Reload this page to see progress.</p>
        </noscript>
      )}
    </section>
  )
}

const lineWords: Readonly<Record<CreditsTransaction['type'], string>> = {
  debit: 'Held',
  settlement: 'Refunded',
  grant: 'Granted',
  plan_change: 'Plan changed',
  renewal: 'Renewed',
  hold: 'Held for its batch',
  release: 'Refunded to its batch',
  opening: 'Opening balance',
}

type CreditsParts = { details: JobDetails; lines: CreditsTransaction[] | undefined }

function Credits({ details: { credits }, lines }: CreditsParts): VNode {
  const { charged, held } = credits
  return (
    <section class="card" aria-labelledby="credits">
      <h2 id="credits">Credits</h2>
      <p>
        <strong class="stat-value">{charged ?? held}</strong> {charged === null ? 'held until the job ends' : 'charged'}
      </p>
      {lines === undefined && <p class="quiet">The ledger cannot be shown right now.</p>}
      {lines !== undefined && lines.length > 0 && (
        <table>
          <caption>Ledger entries of this job</caption>
          <TableHead columns={['Entry', { number: 'Credits' }, { number: 'Balance' }]} />
          <tbody>
            {lines.map(({ type, amount, balance }) => (
              <tr key={type}>
                <td>{type === 'settlement' && amount === 0 ? 'Settled' : lineWords[type]}</td>
                <td class="number">{formatSigned(amount)}</td>
                <td class="number">{formatNumber(balance)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

function Details({ job, list, batches }: Pick<JobPageParts, 'job' | 'list' | 'batches'>): VNode {
  const { details, keyName, request } = job
  const { jobId, createdAt, startedAt, endedAt, deadlineAt, language, traceId, reused } = details
  const keyWords = request?.keyId == null ? [] : [keyName ?? 'a key']
  return (
    <section class="card" aria-labelledby="facts">
      <h2 id="facts">Details</h2>
      <Facts
        facts={{
          'Requested by': request && [surfaceLabels.get(request.surface), ...keyWords].join(' · '),
          'Requested language': request?.lang && languageWords(request.lang),
          'Part of': request?.batchId != null && <a href={`${batches}/${request.batchId}`}>A batch</a>,
          Language: language !== null && languageWords(language),
          Accepted: <Time at={createdAt} exact />,
          Started: startedAt !== null && <Time at={startedAt} exact />,
          Ended: endedAt !== null && <Time at={endedAt} exact />,
          'Ends by': endedAt === null && deadlineAt !== null && <Time at={deadlineAt} />,
          'Reused from': reused !== null && <a href={`${list}/${reused}`}>An earlier job</a>,
          'Job ID': <Copied text={jobId} />,
          'Trace ID': <Copied text={traceId} />,
        }}
      />
    </section>
  )
}

const Deletion = ({ path }: { path: string }): VNode => (
  <section class="card" aria-labelledby="deletion">
    <h2 id="deletion">Delete content</h2>
    <p class="small">
      Permanently deletes the request, the result and the timeline. The ledger keeps its entries. Storage is wiped by
      the next clean-up.
    </p>
    <details class="ask">
      <summary class="button">Delete content</summary>
      <form method="post" action={`${path}/delete`}>
        <button type="submit" class="bad">
          Delete permanently
        </button>
      </form>
    </details>
  </section>
)
