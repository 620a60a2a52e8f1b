/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import type { CreditsTransactionList, UsageGroup } from '#contracts/generated/http.ts'
import { csvOf, usageCsvOf } from '#packages/accounts/ledger/csv.ts'
import { listTransactions, type TransactionsQuestion } from '#packages/accounts/ledger/list-transactions.ts'
import { readUsage, type UsageDays, type UsageTimes, usageBy } from '#packages/accounts/ledger/sum-usage.ts'
import type { JobDocument } from '#packages/events/views/jobs.ts'
import { UNKNOWN } from '#packages/events/views/usage.ts'
import { isoOf } from '#packages/ports/clock.ts'
import { Missing, type OrMissing, orMissing } from '../../look/missing.tsx'
import { Empty, formatDay, formatNumber, Stat } from '../../look/parts.tsx'
import type { PageOptions } from '../../options.ts'
import type { DashboardParts } from '../../parts.ts'
import { type Download, type OrgPageContext, type Page, page, type Route } from '../../route.ts'
import { nameOf } from '../jobs/job-words.tsx'
import { barsOf, operationNames } from './chart-data.ts'
import { DayChart } from './day-chart.tsx'
import { LedgerLines, type LineJob } from './ledger-lines.tsx'
import { type KeyNames, keyName, MAX_ROWS, platformName, Totals } from './totals.tsx'

type Parts = Pick<DashboardParts, 'views' | 'store' | 'ownKeys' | 'clock'>

const ranges = [7, 30, 90] as const
const DEFAULT_RANGE = 30
const DAY_MS = 24 * 60 * 60 * 1000

/** Lines of the ledger on one page. A job has two. */
const LINES_PER_PAGE = 40
const LINES_PER_READ = 500
/** The most lines of one CSV file. */
const MAX_CSV_LINES = 5000

/** `/org/{orgId}/usage`, and its tables as CSV. */
export const usageRoutes = (parts: Parts, options: PageOptions): Route[] => [
  { path: '/org/:orgId/usage', access: 'member', get: (context) => usagePage(parts, context, options) },
  { path: '/org/:orgId/usage/days.csv', access: 'member', get: (context) => daysCsv(parts, context, options) },
  { path: '/org/:orgId/usage/ledger.csv', access: 'member', get: (context) => ledgerCsv(parts, context) },
]

const rangeOf = ({ query }: OrgPageContext): number =>
  ranges.find((days) => String(days) === query.get('days')) ?? DEFAULT_RANGE

/** The days of the range until today (UTC). */
const readRange = (views: Parts['views'], orgId: string, range: number, times: UsageTimes): Promise<UsageDays> =>
  readUsage(views, orgId, { from: isoOf(times.now - (range - 1) * DAY_MS).slice(0, 10), to: undefined }, times)

async function usagePage(
  { views, store, ownKeys, clock }: Parts,
  context: OrgPageContext,
  options: PageOptions,
): Promise<Page> {
  const { orgId } = context.org
  const range = rangeOf(context)
  const cursor = context.query.get('before') ?? undefined
  const times = { now: clock.now(), retentionDays: options.retentionDays }
  const [usage, lines] = await Promise.all([
    orMissing(() => readRange(views, orgId, range, times)),
    orMissing(() => listTransactions(store, orgId, { cursor, limit: LINES_PER_PAGE })),
  ])
  const [names, jobs] = await Promise.all([
    usage.missing ? noNames : orMissing(() => namesIn(ownKeys, orgId, usage.value)),
    lines.missing ? noNames : orMissing(() => jobsIn(views, orgId, lines.value)),
  ])
  const base = `${options.root}/org/${orgId}`
  return page({
    title: 'Usage',
    section: 'usage',
    main: (
      <>
        <div class="head">
          <h1>Usage</h1>
          <Ranges base={base} range={range} />
        </div>
        {usage.missing ? (
          <Missing what="Your usage" />
        ) : (
          <Use usage={usage.value} names={names.missing ? new Map() : names.value} range={range} base={base} />
        )}
        <LedgerSection
          lines={lines}
          jobs={jobs.missing ? new Map() : jobs.value}
          isNewest={cursor === undefined}
          byJob={context.query.get('entries') !== 'all'}
          range={range}
          base={base}
        />
      </>
    ),
  })
}

const noNames = { missing: true } as const

/** The names of the jobs in these lines, and why jobs failed, by job id. */
async function jobsIn(
  views: Parts['views'],
  orgId: string,
  { transactions }: CreditsTransactionList,
): Promise<Map<string, LineJob>> {
  const ids = new Set(transactions.flatMap(({ jobId }) => jobId ?? []))
  const jobs = await views.listMany<JobDocument>('jobs', [...ids])
  return new Map(
    jobs.flatMap(({ id, url, title = null, error, ...job }) =>
      job.orgId === orgId && url !== undefined
        ? [[id, { name: nameOf({ title, url }), cause: error?.message }] as const]
        : [],
    ),
  )
}

const namesIn = (ownKeys: Parts['ownKeys'], orgId: string, usage: UsageDays): Promise<KeyNames> =>
  ownKeys.names(
    orgId,
    usageBy('key', usage)
      .groups.slice(0, MAX_ROWS)
      .map(({ group }) => group)
      .filter((group) => group !== UNKNOWN),
  )

const Ranges = ({ base, range }: { base: string; range: number }): VNode => (
  <nav class="row tabs" aria-label="Range">
    {ranges.map((days) => (
      <a key={days} href={`${base}/usage?days=${days}`} aria-current={days === range ? 'true' : undefined}>
        {days} days
      </a>
    ))}
  </nav>
)

type UseParts = { usage: UsageDays; names: KeyNames; range: number; base: string }

function Use({ usage, names, range, base }: UseParts): VNode {
  const { totals, groups } = usageBy('operation', usage)
  if (totals.jobs === 0)
    return (
      <Empty title={`No jobs ended in the last ${range} days`}>
        <p>
          Usage appears once a job has ended. <a href={`${base}/try`}>Try it</a>
        </p>
      </Empty>
    )
  const period = usage.isCut ? `Since ${formatDay(usage.from)} (UTC)` : `Last ${range} days (UTC)`
  return (
    <>
      <div class="grid three">
        <Stat name="Credits charged" value={formatNumber(totals.creditsCharged)} note={period} />
        <Stat name="Jobs ended" value={formatNumber(totals.jobs)} note="Completed or failed" />
        <Stat name="Credits refunded" value={formatNumber(totals.creditsRefunded)} note="Held and then refunded" />
      </div>
      <section class="card">
        <h2>By day</h2>
        {usage.isCut && <p class="quiet small">{`Begins on ${formatDay(usage.from)}: older usage is not kept.`}</p>}
        <DayChart bars={barsOf(usage)} />
        <p>
          <a href={`${base}/usage/days.csv?days=${range}`}>Download as CSV</a>
        </p>
      </section>
      <div class="grid">
        <Totals title="By operation" groups={groups} nameOf={operationName} />
        <Totals title="By platform" groups={usageBy('platform', usage).groups} nameOf={platformName} />
        <Totals title="By key" groups={usageBy('key', usage).groups} nameOf={({ group }) => keyName(group, names)} />
      </div>
    </>
  )
}

const operationName = ({ group }: UsageGroup): string =>
  Object.hasOwn(operationNames, group) ? operationNames[group as keyof typeof operationNames] : group

type LedgerParts = {
  lines: OrMissing<CreditsTransactionList>
  jobs: ReadonlyMap<string, LineJob>
  isNewest: boolean
  byJob: boolean
  range: number
  base: string
}

const LedgerSection = ({ lines, jobs, isNewest, byJob, range, base }: LedgerParts): VNode => {
  const address = (all: boolean, before?: string): string =>
    `${base}/usage?days=${range}${all ? '&entries=all' : ''}${before === undefined ? '' : `&before=${before}`}#ledger`
  return (
    <section id="ledger">
      <div class="head">
        <h2>Ledger</h2>
        <div class="row">
          <a href={address(byJob)}>{byJob ? 'Show every entry' : 'Show one row per job'}</a>
          <a href={`${base}/usage/ledger.csv`}>Download as CSV</a>
        </div>
      </div>
      {lines.missing ? (
        <Missing what="The ledger" />
      ) : (
        <>
          <LedgerLines lines={lines.value.transactions} base={base} byJob={byJob} jobs={jobs} />
          <nav class="row" aria-label="Pages of the ledger">
            {!isNewest && (
              <a class="button" href={address(!byJob)}>
                Newest
              </a>
            )}
            {lines.value.nextCursor !== null && (
              <a class="button" href={address(!byJob, lines.value.nextCursor)}>
                Older
              </a>
            )}
          </nav>
        </>
      )}
    </section>
  )
}

const csv = (name: string, body: string): Download => ({
  type: 'download',
  name,
  mediaType: 'text/csv; charset=utf-8',
  body,
})

async function daysCsv(
  { views, clock }: Parts,
  context: OrgPageContext,
  { retentionDays }: PageOptions,
): Promise<Download> {
  const { orgId } = context.org
  const usage = await readRange(views, orgId, rangeOf(context), { now: clock.now(), retentionDays })
  return csv(`usage-${usage.from}-to-${usage.to}.csv`, usageCsvOf(usage))
}

/** The newest lines, or those before a cursor. */
async function ledgerCsv({ store, clock }: Parts, context: OrgPageContext): Promise<Download> {
  const { orgId } = context.org
  const question = { cursor: context.query.get('before') ?? undefined, limit: LINES_PER_READ }
  return csv(`ledger-${isoOf(clock.now()).slice(0, 10)}.csv`, csvOf(await manyLines(store, orgId, question)))
}

async function manyLines(
  store: Parts['store'],
  orgId: string,
  question: TransactionsQuestion,
): Promise<CreditsTransactionList['transactions']> {
  const { transactions: lines, nextCursor } = await listTransactions(store, orgId, question)
  let cursor = nextCursor
  while (cursor !== null && lines.length < MAX_CSV_LINES) {
    const next = await listTransactions(store, orgId, { ...question, cursor })
    lines.push(...next.transactions)
    cursor = next.nextCursor
  }
  return lines
}
