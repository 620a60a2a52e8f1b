/** @jsxRuntime automatic @jsxImportSource preact */

import { itemStates } from '#packages/domain/batch/state.ts'
import type { OwnBatch } from '#packages/jobs/batches/own-batch.ts'
import { metadataOf } from '../../http/metadata.ts'
import { Missing, orMissing } from '../../look/missing.tsx'
import { Submit } from '../../look/parts.tsx'
import type { PageOptions } from '../../options.ts'
import type { DashboardParts } from '../../parts.ts'
import { type OrgPageContext, type Page, page, pathOf, type Redirect, type Route, redirect } from '../../route.ts'
import { BatchPage } from './batch-page.tsx'
import { batchName, videosWords } from './words.ts'

type Parts = Pick<DashboardParts, 'batches'>
type Options = Pick<PageOptions, 'root'>

const ITEMS_PER_PAGE = 20

const idIn = ({ params }: OrgPageContext): string => params.batchId ?? ''
const addressOf = (context: OrgPageContext): string => `${pathOf(context.org.orgId, 'batches')}/${idIn(context)}`

/** `/org/{orgId}/batches/{batchId}`: one batch, the outcome of each video, and its cancellation. */
export function batchRoutes({ batches }: Parts, { root }: Options): Route[] {
  const path = '/org/:orgId/batches/:batchId'
  return [
    { path, access: 'member', get: (context) => showBatch(batches, root, context) },
    {
      path: `${path}/cancel`,
      access: 'member',
      async get(context) {
        const batch = await batches.get(context.org.orgId, idIn(context))
        if (batch.status === 'ended') return redirect(addressOf(context), { notice: 'batch-ended-before' })
        return cancelPage(batch, root + addressOf(context))
      },
      post: (context) => cancel(batches, context),
    },
  ]
}

async function showBatch(batches: Parts['batches'], root: string, context: OrgPageContext): Promise<Page> {
  const { query, org } = context
  const { orgId } = org
  const batchId = idIn(context)
  const state = itemStates.find((each) => each === query.get('state'))
  const cursor = query.get('cursor') ?? undefined
  const read = await orMissing(async () => ({
    batch: await batches.get(orgId, batchId),
    listed: await batches.items(orgId, batchId, { state, cursor, limit: ITEMS_PER_PAGE }),
  }))
  if (read.missing)
    return page({ title: 'Batch', section: 'batches', status: 503, main: <Missing what="This batch" /> })
  const { batch, listed } = read.value
  return page({
    title: batchName(batch),
    section: 'batches',
    main: (
      <BatchPage
        batch={batch}
        list={root + pathOf(orgId, 'batches')}
        {...listed}
        counts={batch.counts}
        state={state}
        isFirst={cursor === undefined}
        base={root + addressOf(context)}
        jobs={root + pathOf(orgId, 'jobs')}
      />
    ),
  })
}

const cancelPage = (batch: OwnBatch, base: string): Page =>
  page({
    title: `Cancel ${batchName(batch)}`,
    section: 'batches',
    main: (
      <section class="card narrow">
        <h1>Cancel this batch</h1>
        <p>
          {`Cancels ${videosWords(batch.counts.queued)} not yet started. ${videosWords(batch.counts.working)} in progress will `}
          finish. Results are kept, and unused credits are refunded.
        </p>
        <form method="post" action={`${base}/cancel`} class="row">
          <Submit tone="bad">Cancel this batch</Submit>
          <a href={base}>Keep it running</a>
        </form>
      </section>
    ),
  })

async function cancel(batches: Parts['batches'], context: OrgPageContext): Promise<Redirect> {
  const before = await batches.get(context.org.orgId, idIn(context))
  const notice = before.status === 'ended' ? 'batch-ended-before' : 'batch-cancelled'
  await batches.cancel(idIn(context), { by: null, metadata: metadataOf(context) })
  return redirect(addressOf(context), { notice })
}
