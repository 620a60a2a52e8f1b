import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { credits } from '#packages/domain/credits/credits.ts'
import { plans } from '#packages/domain/credits/plans.ts'
import { job } from '#packages/domain/job/job.ts'
import { key } from '#packages/domain/key/key.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import { type Attempt, attemptsOf, isLost, timeSpent } from '#packages/history/questions/attempts.ts'
import { isoOf } from '#packages/ports/clock.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { openedForAll } from '#test/doubles/opened.ts'
import { readHistories } from '#test/histories/read-histories.ts'
import { nobodyRanIn } from './facts.fixture.ts'
import { madeHistory } from './history.fixture.ts'
import { archiveOf, askedTables, madeArchive } from './tables.harness.ts'

/** The golden histories, one after another. */
const golden = readHistories().flatMap(({ events }) => events)

/** Events by stream, for streams with this prefix. The keys have no prefix. */
function streamsOf(events: readonly StoredEvent[], prefix: string): Map<string, StoredEvent[]> {
  const own = events.filter(({ stream }) => stream.startsWith(prefix))
  return Map.groupBy(own, ({ stream }) => stream.slice(prefix.length))
}

/** The events without the later removals. */
const kept = golden.filter(({ type }) => type !== 'StreamsRemoved')

/** A time as DuckDB prints a TIMESTAMP. */
const timeOf = (instant: number): string =>
  isoOf(instant)
    .replace('T', ' ')
    .replace(/\.?0*Z$/, '')

const histories: Record<string, { events: StoredEvent[]; archive: () => Promise<string> }> = {
  'the made-up history': { events: madeHistory(), archive: madeArchive },
  'the golden histories': { events: kept, archive: () => archiveOf(kept) },
}

for (const [name, { events, archive }] of Object.entries(histories))
  describe(`the tables of ${name}`, () => {
    const tables = openedForAll(async () => askedTables(await archive()))

    it('attempts: has each attempt, with its end', async () => {
      const rows = await tables.ask('FROM attempts ORDER BY job_id, started_at, attempt')
      const wanted = [...streamsOf(events, 'job-')].sort().flatMap(([jobId, own]) =>
        attemptsOf(own, Number.NaN).map((one) => ({
          ...{ job_id: jobId, step: one.step, attempt: one.attempt, started_at: timeOf(one.startedAt) },
          ended_at: one.end.type === 'at-work' ? null : timeOf(one.endedAt),
          ...outcomeOf(one),
        })),
      )
      expect(wanted.length).to.be.greaterThan(0)
      expect(
        rows.map(({ job_id, step, attempt, started_at, ended_at, outcome, code, result }) => {
          // The code comes from the event that ended the job, not from the attempt that it interrupted.
          return { job_id, step, attempt, started_at, ended_at, outcome, code: outcome === 'cut' ? null : code, result }
        }),
      ).to.deep.equal(wanted)
    })

    it('jobs: end as their decider says, with the times that `why` shows', async () => {
      const rows = await tables.ask('FROM jobs ORDER BY job_id')
      const jobs = [...streamsOf(events, 'job-')].sort()
      expect(rows.map(({ job_id, status, code }) => ({ job_id, status, code }))).to.deep.equal(
        jobs.map(([jobId, own]) => {
          const state = fold(job, own)
          return { job_id: jobId, status: state.status, code: state.status === 'failed' ? state.code : null }
        }),
      )
      const nobodyRan = nobodyRanIn(events)
      for (const [index, [jobId, own]] of jobs.entries()) {
        const row = rows[index]
        if (row?.ended_at === null || row?.requested_at === null) continue
        const [first, last] = [own[0]?.recordedAt ?? 0, own.at(-1)?.recordedAt ?? 0]
        const spent = timeSpent(attemptsOf(own, last), first, last, nobodyRan)
        expect(row?.seconds, jobId).to.equal((last - first) / 1000)
        expect(row?.worked_seconds, jobId).to.be.closeTo(spent.worked / 1000, 0.002)
        expect(row?.waited_seconds, jobId).to.be.closeTo(spent.waitedForWorker / 1000, 0.002)
        expect(row?.paused_seconds, jobId).to.be.closeTo(spent.waitedForRetry / 1000, 0.002)
        expect(row?.down_seconds, jobId).to.be.closeTo(spent.nobodyRan / 1000, 0.002)
        expect(row?.lost_seconds, jobId).to.be.closeTo(spent.waitedForLease / 1000, 0.002)
      }
    })

    it('jobs: have the debits, charges and refunds of their ledger', async () => {
      const rows = await tables.ask('SELECT job_id, debited, charged, refunded FROM jobs ORDER BY job_id')
      const paid = new Map<string, { debited: number | null; charged: number | null; refunded: number | null }>()
      for (const { type, data } of events) {
        if (type === 'CreditsDebited') paid.set(data.jobId, { debited: data.credits, charged: null, refunded: null })
        if (type !== 'CreditsSettled') continue
        const { debited = null } = paid.get(data.jobId) ?? {}
        paid.set(data.jobId, { debited, charged: data.charged, refunded: data.refunded })
      }
      const nothing = { debited: null, charged: null, refunded: null }
      const jobs = [...streamsOf(events, 'job-').keys()].sort()
      expect(rows).to.deep.equal(jobs.map((id) => ({ job_id: id, ...nothing, ...paid.get(id) })))
    })

    it('credits: each line has its decider’s balance and plan', async () => {
      const rows = await tables.ask('SELECT org_id, revision, balance, plan FROM credits ORDER BY org_id, revision')
      const wanted = [...streamsOf(events, 'credits-')].sort().flatMap(([orgId, own]) => {
        let state = credits.initialState
        return own.map((event) => {
          state = fold(credits, [event], state)
          return { org_id: orgId, revision: event.revision, balance: state.balance, plan: state.plan }
        })
      })
      expect(wanted.length).to.be.greaterThan(0)
      expect(rows).to.deep.equal(wanted)
    })

    it('customers and keys: match their streams', async () => {
      const customers = await tables.ask('SELECT org_id, balance FROM customers ORDER BY org_id')
      const ledgers = streamsOf(events, 'credits-')
      const ids = new Set([...streamsOf(events, 'organization-').keys(), ...ledgers.keys()])
      expect(customers).to.deep.equal(
        [...ids].sort().map((id) => ({ org_id: id, balance: fold(credits, ledgers.get(id) ?? []).balance })),
      )
      const keys = await tables.ask('SELECT key_id, org_id, revoked_at FROM keys ORDER BY key_id')
      expect(keys).to.deep.equal(
        [...streamsOf(events, 'key-')].sort().map(([id, own]) => {
          const state = fold(key, own)
          if (state.status === 'none') throw new Error(`${id} was not created`)
          return {
            key_id: id,
            org_id: state.orgId,
            revoked_at: state.status === 'revoked' ? timeOf(state.revokedAt) : null,
          }
        }),
      )
    })
  })

type Outcome = { outcome: string; code: string | null; result: string | null }

const outcomeOf = (attempt: Attempt): Outcome => ({
  outcome: isLost(attempt) ? 'lost' : attempt.end.type === 'at-work' ? 'at work' : attempt.end.type,
  ...endOf(attempt),
})

const endOf = ({ end }: Attempt): Pick<Outcome, 'code' | 'result'> => ({
  code: end.type === 'failed' ? end.code : null,
  result: end.type === 'result' ? end.event : null,
})

describe('the tables', () => {
  const ofKept = openedForAll(async () => askedTables(await archiveOf(kept)))
  const ofMade = openedForAll(async () => askedTables(await madeArchive()))

  it('are documented completely, column by column', async () => {
    const columns = await ofMade.ask(
      `SELECT table_name || '.' || column_name || ' ' || data_type AS "column" FROM duckdb_columns()
       WHERE schema_name = 'main' AND NOT internal ORDER BY table_name, column_index`,
    )
    const document = readFileSync(new URL('./README.md', import.meta.url), 'utf8')
    const documented = document
      .split(/^### /m)
      .slice(1)
      .flatMap((section) => {
        const rows = section.matchAll(/^\| `(\w+)` \| (\S+) \| .*\|$/gm)
        return [...rows].map(([, column, type]) => `${/^\w+/.exec(section)?.[0]}.${column} ${type}`)
      })
    expect(documented.length).to.be.greaterThan(80)
    expect(documented.sort()).to.deep.equal(columns.map(({ column }) => column).sort())
  })

  it('plans: has the plans of the service', async () => {
    const rows = await ofMade.ask('SELECT plan, credits_a_month FROM plans')
    expect(rows).to.deep.equal(
      Object.entries(plans).map(([plan, { monthlyCredits }]) => ({ plan, credits_a_month: monthlyCredits })),
    )
  })

  it('credits: a truncated ledger begins with its stated balance', async () => {
    const [ledger = []] = [...streamsOf(madeHistory(), 'credits-').values()].sort(
      (one, other) => other.length - one.length,
    )
    const last = ledger.slice(ledger.findIndex(({ type }) => type === 'CreditsStated'))
    expect(last.length).to.be.within(2, ledger.length - 1)
    await using tables = await askedTables(await archiveOf(last))
    const lines = await tables.ask('SELECT line, balance, plan FROM credits ORDER BY revision')
    expect(lines[0]?.line).to.equal('opening')
    const { balance, plan } = fold(credits, ledger)
    expect(lines.at(-1)).to.include({ balance, plan })
    const months = await tables.ask('SELECT plan FROM subscriptions')
    expect(new Set(months.map(({ plan }) => plan))).to.deep.equal(new Set([plan]))
  })

  it('deliveries: has each notification, its attempts and its end', async () => {
    expect(
      await ofKept.ask(
        'SELECT tells_of, job_id, attempts, repeats, last_status, last_failure, ended_at > requested_at AS ended, outcome FROM deliveries',
      ),
    ).to.deep.equal([
      {
        ...{ tells_of: 'job.completed', job_id: 'job-1', attempts: 3, repeats: 1, last_status: 204 },
        ...{ last_failure: null, ended: true, outcome: 'delivered' },
      },
    ])
    const open = kept.filter(({ stream, revision }) => !stream.startsWith('delivery-') || revision < 5)
    await using earlier = await askedTables(await archiveOf(open))
    expect(await earlier.ask('SELECT attempts, ended_at, outcome FROM deliveries')).to.deep.equal([
      { attempts: 2, ended_at: null, outcome: null },
    ])
  })

  it('batches, watches and webhooks: have their requests, progress and ends', async () => {
    expect(
      await ofKept.ask(
        'SELECT surface, kind, items, completed, failed, cancelled, held, charged, returned, ended_because FROM batches',
      ),
    ).to.deep.equal([
      {
        ...{ surface: 'api', kind: 'extraction', items: 3, completed: 1, failed: 0, cancelled: 2 },
        ...{ held: 20, charged: 10, returned: 10, ended_because: 'cancelled' },
      },
    ])
    const items =
      'SELECT item, platform, jobs, charged, ended_at IS NOT NULL AS ended, code FROM batch_items ORDER BY item'
    expect(await ofKept.ask(items)).to.deep.equal([
      { item: 0, platform: 'youtube', jobs: 1, charged: 10, ended: true, code: null },
      { item: 1, platform: 'youtube', jobs: 1, charged: 0, ended: false, code: null },
      { item: 2, platform: 'youtube', jobs: 0, charged: 0, ended: false, code: null },
    ])
    const watches =
      'SELECT every_seconds, max_credits_per_month AS most, looks, failures, found, is_paused, removed_at IS NOT NULL AS gone FROM watches ORDER BY gone'
    expect(await ofKept.ask(watches)).to.deep.equal([
      { every_seconds: 86_400, most: 5, looks: 3, failures: 1, found: 2, is_paused: false, gone: false },
      { every_seconds: 3600, most: 2, looks: null, failures: 0, found: 0, is_paused: false, gone: true },
    ])
    expect(
      await ofKept.ask('SELECT number, job_id IS NULL AS refused, credits, code FROM watch_videos ORDER BY number'),
    ).to.deep.equal([
      { number: 1, refused: false, credits: 1, code: null },
      { number: 2, refused: true, credits: 0, code: 'invalid_request' },
    ])
    const webhooks =
      'SELECT kind, tells_of, with_results, is_off, replays, removed_at IS NOT NULL AS gone FROM webhooks ORDER BY gone'
    expect(await ofKept.ask(webhooks)).to.deep.equal([
      {
        ...{ kind: 'endpoint', tells_of: ['job.completed', 'credits.low'], with_results: true, is_off: false },
        ...{ replays: 1, gone: false },
      },
      { kind: 'url', tells_of: [], with_results: false, is_off: false, replays: 0, gone: true },
    ])
  })

  it('videos: has each video once, and steps each step of a job, with the sums of their attempts', async () => {
    const [sums] = await ofKept.ask(
      `SELECT sum(jobs)::BIGINT AS jobs, (SELECT count(*) FROM events WHERE type = 'VideoFetched') AS fetched,
         count(*) = count(DISTINCT url) AS once FROM videos`,
    )
    expect(sums?.jobs).to.equal(sums?.fetched)
    expect(sums?.once).to.equal(true)
    const [steps] = await ofKept.ask(
      `SELECT sum(attempts)::BIGINT AS attempts, (SELECT count(*) FROM attempts) AS all, sum(lost_workers)::BIGINT AS lost,
         (SELECT count(*) FROM attempts WHERE outcome = 'lost') AS lost_attempts FROM steps`,
    )
    expect([steps?.attempts, steps?.lost]).to.deep.equal([steps?.all, steps?.lost_attempts])
    const attempts = [...streamsOf(kept, 'job-').values()].flatMap((own) => attemptsOf(own, Number.NaN))
    expect(steps?.lost).to.equal(attempts.filter(isLost).length).and.greaterThan(2)
  })

  it('requests: has free reads and refused requests, hour by hour', async () => {
    expect(await ofKept.ask('SELECT * EXCLUDE (org_id) FROM requests ORDER BY hour, what')).to.deep.equal([
      { hour: '2026-01-15 12:00:00', refused: false, what: '/v1/metadata', requests: 12 },
      { hour: '2026-01-15 12:00:00', refused: false, what: '/v1/search', requests: 1 },
      { hour: '2026-01-15 12:00:00', refused: true, what: 'rate_limited', requests: 3 },
      { hour: '2026-01-15 15:00:00', refused: true, what: 'forbidden', requests: 1 },
      { hour: '2026-01-15 15:00:00', refused: true, what: 'invalid_request', requests: 2 },
    ])
  })

  it('name the surface of jobs and the giver of credits; hosts of attempts only with content', async () => {
    for (const withContent of [true, false]) {
      await using tables = await askedTables(await archiveOf(kept, withContent))
      const [jobs] = await tables.ask(
        "SELECT count(*) AS all, count(*) FILTER (surface = 'api') AS told FROM jobs WHERE requested_at IS NOT NULL",
      )
      expect(jobs?.told).to.equal(jobs?.all)
      const by = await tables.ask(
        "SELECT DISTINCT done_by FROM credits WHERE line IN ('grant', 'plan') ORDER BY done_by DESC",
      )
      expect(by[0]).to.deep.equal({ done_by: 'command' })
      const [read] = await tables.ask(
        "SELECT count(*) FILTER (domain = 'example.com' AND exit = 'direct') AS told FROM attempts",
      )
      const told = kept.filter(({ data }) => 'readFrom' in data)
      expect(told.length).to.be.greaterThan(10)
      expect(Number(read?.told)).to.equal(withContent ? told.length : 0)
    }
  })

  it('forgotten: has the sums of jobs that no other table has', async () => {
    const removed = golden.flatMap(({ type, data }) => (type === 'StreamsRemoved' ? data.streams : []))
    await using tables = await askedTables(await archiveOf(golden))
    const streams = await tables.ask('SELECT DISTINCT stream FROM events')
    expect(streams.filter(({ stream }) => removed.includes(String(stream)))).to.deep.equal([])
    const [sums] = await tables.ask('SELECT sum(jobs)::BIGINT AS jobs, sum(charged)::BIGINT AS charged FROM forgotten')
    const gone = golden.filter(({ stream }) => removed.includes(stream))
    const charged = gone.map(({ type, data }) => (type === 'CreditsSettled' ? data.charged : 0))
    expect(sums).to.deep.equal({
      jobs: gone.filter(({ type }) => type === 'JobRequested').length,
      charged: charged.reduce((one, other) => one + other, 0),
    })
  })
})
