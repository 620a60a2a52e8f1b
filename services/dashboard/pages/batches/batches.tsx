/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import type { ListedBatch } from '#packages/jobs/batches/own-batch.ts'
import { Missing, type OrMissing, orMissing } from '../../look/missing.tsx'
import { Empty, formatNumber, Time } from '../../look/parts.tsx'
import { PagedTable } from '../../look/table.tsx'
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
      <PagedTable
        label="Batches"
        none="There are no older batches."
        newest={isFirst ? undefined : base}
        older={nextCursor === null ? undefined : `${base}?${new URLSearchParams({ cursor: nextCursor })}`}
        rows={listed}
        keyOf={({ batchId }) => batchId}
        lead="Batch"
        numbers={['Credits']}
        columns={{
          Batch: (batch) => (
            <a class="row-link" href={`${base}/${batch.batchId}`}>
              {batchName(batch)}
            </a>
          ),
          State: (batch) => <StandingBadge of={batch} />,
          Done: ({ items, completed, failed }) => (
            <span>
              {`${formatNumber(completed)} of ${formatNumber(items)}`}
              {failed > 0 && <span class="quiet small under">{`${formatNumber(failed)} failed`}</span>}
            </span>
          ),
          Credits: ({ credits }) => formatNumber(credits.charged),
          When: ({ createdAt }) => <Time at={createdAt} />,
        }}
      />
    </section>
  )
}

export const StandingBadge = ({ of: batch }: { of: Pick<ListedBatch, 'status' | 'reason'> }): VNode => {
  const [words, tone] = standingWords(batch)
  return <span class={`badge ${tone}`}>{words}</span>
}
