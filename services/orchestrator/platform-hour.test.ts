import { expect } from 'chai'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { PlatformHour } from './platform-hour.ts'

const MINUTE = 60_000
const NOW = 100 * 60 * MINUTE

const ended = (position: number, code?: string, recordedAt = NOW): StoredEvent =>
  ({ position, recordedAt, type: code ? 'JobFailed' : 'JobCompleted', data: { code } }) as unknown as StoredEvent

/** Ended and failed jobs of a platform, summed over a whole note. */
const sumOf = (hour: PlatformHour, platform: string, now = NOW): [number, number] => {
  const parts = hour.parts(now).filter((part) => part.platform === platform)
  const sum = (of: 'ended' | 'failed') => parts.reduce((all, part) => all + part[of], 0)
  return [sum('ended'), sum('failed')]
}

describe("the outcomes of each platform's jobs", () => {
  it('counts a private video as an answer, a refusal as a failure, and a cancelled job as neither', () => {
    const hour = new PlatformHour()
    for (const [index, code] of [undefined, 'video_private', 'platform_blocked', 'cancelled', 'timeout'].entries())
      hour.count(ended(index + 1, code), 'youtube')
    hour.count(ended(9, 'upstream_error'), 'tiktok')
    hour.count(ended(10), undefined)
    expect([sumOf(hour, 'youtube'), sumOf(hour, 'tiktok')]).to.deep.equal([
      [3, 1],
      [1, 1],
    ])
  })

  it('continues from a note without counting its jobs again, and forgets after an hour', () => {
    const before = new PlatformHour()
    for (const position of [1, 2, 3]) before.count(ended(position), 'youtube')
    const after = new PlatformHour()
    after.restore(before.parts(NOW), 3)
    for (const position of [2, 3, 4]) after.count(ended(position), 'youtube')
    expect(sumOf(after, 'youtube')).to.deep.equal([4, 0])
    expect(sumOf(after, 'youtube', NOW + 66 * MINUTE)).to.deep.equal([0, 0])
  })
})
