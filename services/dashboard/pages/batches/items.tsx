/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import { type ItemState, itemStates } from '#packages/domain/batch/state.ts'
import type { OwnItem } from '#packages/jobs/batches/own-batch.ts'
import { Marked } from '../../look/marked.tsx'
import { Empty, formatNumber, OutLink, Scroll, TableHead } from '../../look/parts.tsx'
import { shortUrl } from '../jobs/job-words.tsx'
import { itemStateWords, trouble } from './words.ts'

export type ItemsParts = {
  items: readonly OwnItem[]
  nextCursor: string | null
  counts: Readonly<Record<ItemState, number>>
  /** The state to which the list is filtered; undefined: all states. */
  state: ItemState | undefined
  isFirst: boolean
  /** The addresses of the batch, and of the organization's jobs. */
  base: string
  jobs: string
}

/** One page of a batch's items. */
export function Items(parts: ItemsParts): VNode {
  const { items, nextCursor, state, isFirst, base, jobs } = parts
  return (
    <section aria-labelledby="items">
      <h2 id="items">Videos</h2>
      <States {...parts} />
      {items.length === 0 ? (
        <Empty title={state === undefined ? 'No videos yet' : 'Nothing here'}>
          <p>{state === undefined ? 'They appear here as the source is read.' : 'No videos in this state.'}</p>
        </Empty>
      ) : (
        <Scroll label="List of videos">
          <table class="stacked">
            <caption class="hidden">Videos in the order of the request</caption>
            <TableHead columns={['Video', 'State', { number: 'Credits' }, 'Job']} />
            <tbody>
              {items.map((item) => (
                <Row key={item.item} item={item} jobs={jobs} />
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      <nav class="row" aria-label="Pages of videos">
        {!isFirst && <a href={addressOf(base, { state })}>First videos</a>}
        {nextCursor !== null && (
          <a class="button" href={addressOf(base, { state, cursor: nextCursor })}>
            More videos
          </a>
        )}
      </nav>
    </section>
  )
}

/** Filters by state, without states that no video is in. */
function States({ counts, state, base }: ItemsParts): VNode {
  const shown = itemStates.filter((each) => counts[each] > 0 || each === state)
  return (
    <nav class="tabs" aria-label="Videos by state">
      <a href={base} aria-current={state === undefined ? 'page' : undefined}>
        All
      </a>
      {shown.map((each) => (
        <a key={each} href={addressOf(base, { state: each })} aria-current={state === each ? 'page' : undefined}>
          {`${itemStateWords[each][0]} ${formatNumber(counts[each])}`}
        </a>
      ))}
    </nav>
  )
}

const addressOf = (base: string, query: { state: ItemState | undefined; cursor?: string }): string => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined) as [string, string][]
  return given.length === 0 ? base : `${base}?${new URLSearchParams(given)}`
}

function Row({ item, jobs }: { item: OwnItem; jobs: string }): VNode {
  const { url, lines, state, jobId, charged } = item
  const [words, tone] = itemStateWords[state]
  const why = trouble(item)
  return (
    <tr>
      <td class="lead breaks">
        <OutLink href={url}>{shortUrl(url)}</OutLink>
        {lines.length > 1 && <span class="quiet small under">{`Requested ${lines.length} times, read once`}</span>}
      </td>
      <td data-label="State">
        <span>
          <span class={`badge ${tone}`}>{words}</span>
          {why !== undefined && (
            <span class="quiet small under">
              <Marked text={why} />
            </span>
          )}
        </span>
      </td>
      <td data-label="Credits" class="number">
        {state === 'completed' || state === 'failed' ? formatNumber(charged) : '–'}
      </td>
      <td data-label="Job">
        {jobId === null ? (
          'None'
        ) : (
          <a href={`${jobs}/${jobId}`} aria-label={`Job of ${shortUrl(url)}`}>
            Job
          </a>
        )}
      </td>
    </tr>
  )
}
