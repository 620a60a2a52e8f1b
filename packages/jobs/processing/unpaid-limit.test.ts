import { expect } from 'chai'
import { pino } from 'pino'
import type { FailureCode } from '#packages/domain/job/failure.ts'
import { results } from '#packages/domain/job/job.fixture.ts'
import type { Used } from '#packages/domain/job/used.ts'
import { nothingUsedByOne, organizationUseId } from '#packages/events/views/daily-use.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import type { Views } from '#packages/ports/views.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { ManualClock } from '#test/doubles/manual-clock.ts'
import { stepContext } from '#test/doubles/step-context.ts'
import { CancelledError } from './attempts-under-way.ts'
import { UnpaidLimit } from './unpaid-limit.ts'

const tokens = { input: 100, output: 20 }

describe('the limit on unpaid jobs, when paid work begins', () => {
  let clock: ManualClock
  /** The view's content for today, by organization and day. */
  let counted: Map<string, object>
  let isAway: boolean
  let limit: UnpaidLimit
  let begun: number
  beforeEach(() => {
    clock = new ManualClock(Date.UTC(2026, 10, 21, 18, 0, 0))
    counted = new Map()
    isAway = false
    const get = async (_: string, id: string) => {
      if (isAway) throw new Error('away')
      return counted.get(id)
    }
    const views = { get } as unknown as Views
    limit = new UnpaidLimit({ views, clock, log: pino({ level: 'silent' }) })
    begun = 0
  })

  /** One attempt. @param end what it throws; undefined: it has a result @returns its final code */
  async function attempt(end?: Error, { kind = 'extraction', orgId = 'acme' }: Asked = {}): Promise<string> {
    const cancelled = new AbortController()
    const step = limit.within(async ({ used }) => {
      begun += 1
      Object.assign(used, { tokens } satisfies Partial<Used>)
      if (end instanceof CancelledError) cancelled.abort(end)
      if (end !== undefined) throw end
      return results.extraction
    })
    const ended = step(stepContext({ orgId, kind }, { signal: cancelled.signal }))
    return ended.then(
      () => 'completed',
      (error: { code: string }) => error.code,
    )
  }
  type Asked = { kind?: 'extraction' | 'transcript'; orgId?: string }
  const times = async (count: number, end?: Error, asked?: Asked): Promise<void> => {
    for (let n = 0; n < count; n++) await attempt(end, asked)
  }
  const count = (unpaidJobs: number, chargedJobs = 0) =>
    counted.set(organizationUseId('acme', '2026-11-21'), { ...nothingUsedByOne, unpaidJobs, chargedJobs })

  for (const [name, end] of [
    ['cancelled at work', new CancelledError()],
    ['without an answer that fits', new StepError('extraction_invalid')],
    ['with an answer that is too large', new StepError('result_too_large')],
  ] as const)
    it(`lets an organization begin ten a day that end ${name}, even before any view counts them`, async () => {
      await times(30, end)
      expect(begun).to.equal(10)
      expect(await attempt()).to.equal('upstream_error')
      expect(await attempt(undefined, { orgId: 'other' })).to.equal('completed')
      await clock.advance(6 * 3600_000)
      expect(await attempt(), 'after midnight').to.equal('completed')
    })

  it('counts a video without speech if that ends the job: its extraction goes on', async () => {
    await times(30, new StepError('no_speech'))
    expect(begun).to.equal(30)
    await times(30, new StepError('no_speech'), { kind: 'transcript' })
    expect(begun).to.equal(40)
  })

  it('counts no failure of ours or of a platform, and none that is retried', async () => {
    for (const code of ['internal_error', 'upstream_error', 'platform_blocked'] satisfies FailureCode[])
      await times(12, new StepError(code))
    await times(12, new StepError('extraction_invalid', { transient: true }))
    expect(await attempt()).to.equal('completed')
  })

  it('knows from the view which jobs ended elsewhere, and how many were charged', async () => {
    count(10)
    const ended = limit.within(async () => results.extraction)(stepContext({ orgId: 'acme' }))
    expect((await failureOf(ended)).message).to.match(/^Work that was not charged for: .*, 10 today/)
    count(10, 60)
    expect(await attempt()).to.equal('completed')
  })

  it('refuses no one while the view cannot be read', async () => {
    await times(10, new CancelledError())
    isAway = true
    expect(await attempt()).to.equal('completed')
  })
})
