/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import { plans } from '#packages/domain/credits/plans.ts'
import { operator } from '#packages/domain/key/key.ts'
import { periods } from '#packages/jobs/watches/every.ts'
import type { ListedWatch } from '#packages/jobs/watches/own-watch.ts'
import { watchRequestOf } from '#packages/jobs/watches/watch-request.ts'
import { metadataOf } from '../../http/metadata.ts'
import { Missing, type OrMissing, orMissing } from '../../look/missing.tsx'
import { Empty, formatNumber, Time } from '../../look/parts.tsx'
import { Table } from '../../look/table.tsx'
import type { PageOptions } from '../../options.ts'
import type { DashboardParts } from '../../parts.ts'
import { type OrgPageContext, type Page, page, pathOf, type Redirect, type Route, redirect } from '../../route.ts'
import { refusedIn, submitted } from '../submitted.ts'
import { periodsFrom, WatchForm, watchBodyOf } from './watch-form.tsx'
import { everyWords, pauseReasonOf, sourceName, thenWords } from './words.ts'

type Parts = Pick<DashboardParts, 'watches' | 'details' | 'schemas'>

/** `/org/{orgId}/watches`: the organization's watches. */
export const watchesRoutes = (parts: Parts, options: PageOptions): Route[] => [
  {
    path: '/org/:orgId/watches',
    access: 'member',
    get: (context) => watchesPage(parts, context, options),
    post: (context) => makeWatch(parts, context, options),
  },
]

async function makeWatch(
  { watches, details, schemas }: Parts,
  context: OrgPageContext,
  { extracts, speech }: PageOptions,
): Promise<Redirect> {
  const { org, form } = context
  const list = pathOf(org.orgId, 'watches')
  const { done, refusal } = await submitted(async () => {
    const parts = { schemas, extracts, tellsSpeakers: speech.tellsSpeakers }
    const application = await watchRequestOf(watchBodyOf(form), org.orgId, parts)
    const plan = await details.planOf(org.orgId)
    return watches.create(application, undefined, { by: operator, plan, metadata: metadataOf(context) })
  })
  if (refusal) return redirect(list, { flash: { refusal, typed: [...form] } })
  return redirect(`${list}/${done.watchId}`, { notice: 'watch-made' })
}

async function watchesPage(
  { watches, details }: Parts,
  { org, flash }: OrgPageContext,
  { root }: PageOptions,
): Promise<Page> {
  const { status, problems, typed } = refusedIn(flash)
  const all = await orMissing(() => watches.list(org.orgId))
  const plan = plans[await details.planOf(org.orgId)]
  const base = root + pathOf(org.orgId, 'watches')
  return page({
    title: 'Watches',
    section: 'watches',
    status,
    main: (
      <>
        <h1>Watches</h1>
        <p class="quiet narrow">
          A watch checks a channel, playlist, profile or search for new videos, and can transcribe or extract each one.
          Checks are free. Your plan includes {plan.watches} watches.
        </p>
        <List watches={all} base={base} />
        <section class="card narrow">
          <h2>New watch</h2>
          <WatchForm
            action={base}
            typed={typed}
            problems={problems}
            plan={periodsFrom(plan.watchEverySeconds, periods)}
          />
        </section>
      </>
    ),
  })
}

function List({ watches, base }: { watches: OrMissing<ListedWatch[]>; base: string }): VNode {
  if (watches.missing) return <Missing what="Your watches" />
  if (watches.value.length === 0)
    return (
      <Empty title="No watches yet">
        <p>Add a channel, playlist, profile or search below.</p>
      </Empty>
    )
  return (
    <Table
      label="Watches"
      caption="Watches, oldest first"
      rows={watches.value}
      keyOf={({ watchId }) => watchId}
      lead="Source"
      numbers={['Found']}
      columns={{
        Source: ({ watchId, source }) => (
          <a class="row-link" href={`${base}/${watchId}`}>
            {sourceName(source)}
          </a>
        ),
        'For each video': thenWords,
        State: (watch) => (
          <span>
            <StateBadge watch={watch} />
            {watch.reason !== null && <span class="quiet small under">{pauseReasonOf(watch)}</span>}
          </span>
        ),
        Found: ({ found }) => formatNumber(found),
        'Next check': ({ nextLookAt, every }) => (
          <span>
            {nextLookAt === null ? 'None' : <Time at={nextLookAt} />}
            <span class="quiet small under">{everyWords[every]}</span>
          </span>
        ),
      }}
    />
  )
}

export function StateBadge({ watch: { status, reason, failure } }: { watch: ListedWatch }): VNode {
  if (status === 'paused') return <span class={`badge ${reason === 'asked' ? '' : 'bad'}`}>Paused</span>
  if (failure !== null) return <span class="badge warn">Source unreachable</span>
  return <span class="badge good">On</span>
}
