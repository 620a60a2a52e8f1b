/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import { formatsOf } from '#packages/jobs/batches/batch-results.ts'
import type { OwnBatch } from '#packages/jobs/batches/own-batch.ts'
import { Copied, Facts, formatNumber, Notice, OutLink, Stat, Time } from '../../look/parts.tsx'
import { AskedView } from '../jobs/asked-view.tsx'
import { askedFor, languageWords, type modeWords } from '../jobs/job-words.tsx'
import { sourceName } from '../watches/words.ts'
import { resultNames } from './batch-files.ts'
import { StandingBadge } from './batches.tsx'
import { Items, type ItemsParts } from './items.tsx'
import { batchName, endedEarlyOf, videosWords } from './words.ts'

type Parts = ItemsParts & {
  batch: OwnBatch
  /** The address of the list of batches. */
  list: string
}

/** One batch. While it runs, the browser refreshes the whole of it from time to time. */
export function BatchPage({ batch, list, ...items }: Parts): VNode {
  const { status, cancelled, createdAt, options, operation } = batch
  const isRunning = status === 'running'
  return (
    <div id="batch" data-island={isRunning ? 'live' : undefined}>
      <a class="back" href={list}>
        All batches
      </a>
      <div class="head">
        <h1>{batchName(batch)}</h1>
        {isRunning && !cancelled && (
          <a class="button" href={`${items.base}/cancel`}>
            Cancel
          </a>
        )}
      </div>
      <p class="row">
        <StandingBadge of={batch} />
        <span>{askedFor({ kind: operation, mode: options.mode as keyof typeof modeWords | null })}</span>
        <span class="quiet">
          Started <Time at={createdAt} />
          <Ending batch={batch} />
        </span>
      </p>
      <HowItWent batch={batch} />
      <Counts batch={batch} />
      <Results batch={batch} base={items.base} />
      <Items {...items} />
      {operation === 'extraction' && <AskedView prompt={String(options.prompt ?? '')} schema={options.schema} />}
      <Details batch={batch} jobs={items.jobs} />
      {isRunning && (
        <noscript>
          <p>Reload this page to see progress.</p>
        </noscript>
      )}
    </div>
  )
}

/** Notices about anything unusual. */
function HowItWent({ batch }: { batch: OwnBatch }): VNode {
  const { status, cancelled, skippedLines } = batch
  const early = endedEarlyOf(batch)
  return (
    <>
      {status === 'running' && cancelled && (
        <Notice tone="warn">
          <p>No new videos start. Those in progress finish, and unused credits are refunded.</p>
        </Notice>
      )}
      {early !== undefined && (
        <Notice tone="bad">
          <p>{early}</p>
        </Notice>
      )}
      {skippedLines > 0 && (
        <Notice tone="warn">
          <p>{`${skippedLines === 1 ? '1 line was' : `${formatNumber(skippedLines)} lines were`} skipped: not a video URL.`}</p>
        </Notice>
      )}
    </>
  )
}

function Counts({ batch }: { batch: OwnBatch }): VNode {
  const { counts, items, credits, status, complete } = batch
  const { completed, failed, cancelled, queued, working } = counts
  return (
    <div class="grid four">
      <Stat
        name="Completed"
        value={`${formatNumber(completed)} of ${formatNumber(items)}`}
        note={complete ? undefined : 'Still reading the source.'}
      />
      <Stat
        name={status === 'running' ? 'Remaining' : 'Cancelled'}
        value={formatNumber(status === 'running' ? queued + working : cancelled)}
        note={status === 'running' ? `${formatNumber(working)} in progress` : undefined}
      />
      <Stat name="Failed" value={formatNumber(failed)} note="Not charged" />
      <Stat name="Credits" value={formatNumber(credits.charged)} note={creditsNote(batch)} />
    </div>
  )
}

/** When it ended, or when it will end at the current pace. */
function Ending({ batch: { endedAt, expectedEndAt } }: { batch: OwnBatch }): VNode | null {
  const at = endedAt ?? expectedEndAt
  if (at === null) return null
  return (
    <>
      {endedAt === null ? ' · Ends at about ' : ' · Ended '}
      <Time at={at} />
    </>
  )
}

const creditsNote = ({ status, credits: { held, returned } }: OwnBatch): string =>
  status === 'running'
    ? `charged of ${formatNumber(held)} held`
    : `charged of ${formatNumber(held)}, ${formatNumber(returned)} refunded`

const formatWords = { ndjson: 'NDJSON', csv: 'CSV', srt: 'SRT', vtt: 'VTT', txt: 'Text' } as const

function Results({ batch, base }: { batch: OwnBatch; base: string }): VNode | null {
  if (batch.counts.completed === 0) return null
  return (
    <section class="card" aria-labelledby="results">
      <h2 id="results">Results</h2>
      <p>
        {batch.status === 'running'
          ? `The results of ${videosWords(batch.counts.completed)} so far, in one file.`
          : 'All results in one file.'}
      </p>
      <div class="row">
        {formatsOf(batch.operation).map((format) => (
          <a key={format} class="button" href={`${base}/${resultNames[format]}`} download>
            {formatWords[format]}
          </a>
        ))}
      </div>
    </section>
  )
}

function Details({ batch, jobs }: { batch: OwnBatch; jobs: string }): VNode {
  const { batchId, source, since, limit, options, itemWebhooks } = batch
  return (
    <section class="card" aria-labelledby="facts">
      <h2 id="facts">Details</h2>
      <Facts
        facts={{
          Source: source !== null && (
            <>
              {'url' in source ? <OutLink href={source.url}>{sourceName(source)}</OutLink> : sourceName(source)}
              {`, at most ${formatNumber(limit)}`}
              {since !== null && (
                <>
                  , published since <Time at={since} />
                </>
              )}
            </>
          ),
          Language: typeof options.lang === 'string' && languageWords(options.lang),
          Webhooks: itemWebhooks && 'Notified of each job',
          Jobs: <a href={`${jobs}?batch=${batchId}`}>Jobs of this batch</a>,
          'Batch ID': <Copied text={batchId} />,
        }}
      />
    </section>
  )
}
