/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import type { ListedBatch } from '#packages/jobs/batches/own-batch.ts'
import { Missing, type OrMissing, orMissing } from '../../look/missing.tsx'
import { Empty, formatNumber, Scroll, TableHead, Time, Zone } from '../../look/parts.tsx'
import type { PageOptions } from '../../options.ts'
import type { DashboardParts } from '../../parts.ts'
import { page, pathOf, type Route } from '../../route.ts'
import { batchName, standingWords } from './words.ts'

const BATCHES_PER_PAGE = 20

type ListParts = {
  batches: OrMissing<{ batches: ListedBatch[]; nextCursor: string | null }>
  base: string
  isFirst: boolean
}

/** `/org/{orgId}/batches`: the batches of the organization, newest first. */
export const batchesRoutes = (
  { batches }: Pick<DashboardParts, 'batches'>,
  { root }: Pick<PageOptions, 'root'>,
): Route[] => [
  {
    path: '/org/:orgId/batches',
    access: 'member',
    async get({ org: { orgId }, query }) {
      const cursor = query.get('cursor') ?? undefined
      const found = await orMissing(() => batches.list(orgId, { cursor, limit: BATCHES_PER_PAGE }))
      const base = root + pathOf(orgId, 'batches')
      const isFirst = cursor === undefined
      const hasNone = isFirst && !found.missing && found.value.batches.length === 0
      return page({
        title: 'Batches',
        section: 'batches',
        main: hasNone ? (
          <>
            <h1>Batches</h1>
            <NoneYet base={base} />
          </>
        ) : (
          <>
            <div class="head">
              <h1>Batches</h1>
              <a class="button main" href={`${base}/new`}>
                New batch
              </a>
            </div>
            <List batches={found} base={base} isFirst={isFirst} />
          </>
        ),
      })
    },
  },
]

const NoneYet = ({ base }: { base: string }): VNode => (
  <Empty title="No batches yet">
    <p>
      A batch runs one operation on many videos: a list of URLs, or a channel, playlist, profile or search. You see the
      cost before it starts, and download all results in one file.
    </p>
    <p>
      <a class="button main" href={`${base}/new`}>
        New batch
      </a>
    </p>
  </Empty>
)

function List({ batches, base, isFirst }: ListParts): VNode {
  if (batches.missing) return <Missing what="Your batches" />
  const { batches: listed, nextCursor } = batches.value
  return (
    <section id="batches" data-island={listed.some(({ status }) => status === 'running') ? 'live' : undefined}>
      <Scroll label="Batches">
        <table class="stacked">
          <caption>
            {listed.length === 0 ? (
              'There are no older batches.'
            ) : (
              <>
                Newest first. <Zone />
              </>
            )}
          </caption>
          <TableHead columns={['Batch', 'State', 'Done', { number: 'Credits' }, 'When']} />
          <tbody>
            {listed.map((batch) => (
              <Row key={batch.batchId} batch={batch} base={base} />
            ))}
          </tbody>
        </table>
      </Scroll>
      <nav class="row" aria-label="Pages of batches">
        {!isFirst && <a href={base}>Newest batches</a>}
        {nextCursor !== null && (
          <a class="button" href={`${base}?${new URLSearchParams({ cursor: nextCursor })}`}>
            Older batches
          </a>
        )}
      </nav>
    </section>
  )
}

function Row({ batch, base }: { batch: ListedBatch; base: string }): VNode {
  const { batchId, items, completed, failed, credits, createdAt } = batch
  return (
    <tr>
      <td class="lead">
        <a class="row-link" href={`${base}/${batchId}`}>
          {batchName(batch)}
        </a>
      </td>
      <td data-label="State">
        <StandingBadge of={batch} />
      </td>
      <td data-label="Done">
        <span>
          {`${formatNumber(completed)} of ${formatNumber(items)}`}
          {failed > 0 && <span class="quiet small under">{`${formatNumber(failed)} failed`}</span>}
        </span>
      </td>
      <td data-label="Credits" class="number">
        {formatNumber(credits.charged)}
      </td>
      <td data-label="When">
        <Time at={createdAt} />
      </td>
    </tr>
  )
}

export const StandingBadge = ({ of: batch }: { of: Pick<ListedBatch, 'status' | 'reason'> }): VNode => {
  const [words, tone] = standingWords(batch)
  return <span class={`badge ${tone}`}>{words}</span>
}
