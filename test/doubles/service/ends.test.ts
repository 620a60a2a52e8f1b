import { expect } from 'chai'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import type { Order } from './customer.ts'
import { wrongEnds } from './ends.ts'

type Written = [type: string, data: object]

const orders: Order[] = [
  { url: 'http://a/', mode: 'native', end: 'completed' },
  { url: 'http://b/', mode: 'native', end: 'video_unavailable' },
]
const requested = (url: string, key: string | null = null): Written => [
  'JobRequested',
  { orgId: 'o', url, mode: 'native', idempotencyKeyHash: key },
]
const completed: Written = ['JobCompleted', {}]
const failed = (code: string): Written => ['JobFailed', { code }]

function complaints(jobs: Record<string, Written[]>, answered: string[] = []): string[] {
  const events = Object.entries(jobs).flatMap(([jobId, history]) =>
    history.map(([type, data]) => ({ stream: `job-${jobId}`, type, data }) as StoredEvent),
  )
  return wrongEnds(events, orders, new Set(answered))
}

describe('the check of how jobs ended', () => {
  it('finds nothing wrong with jobs that ended as expected, and with one that was refused', () => {
    const written = {
      good: [requested('http://a/', 'k'), completed],
      bad: [requested('http://b/'), failed('video_unavailable')],
    }
    expect(complaints({ ...written, refused: [failed('not_accepted')] }, ['good', 'bad'])).to.deep.equal([])
  })

  const wrong: Record<string, [jobs: Record<string, Written[]>, answered?: string[]]> = {
    'a needless failure': [{ j: [requested('http://a/'), failed('internal_error')] }, ['j']],
    'a needless failure of a job with a lost answer': [{ j: [requested('http://a/'), failed('timeout')] }],
    'a job without an end': [{ j: [requested('http://a/')] }],
    'a job that should have failed': [{ j: [requested('http://b/'), completed] }],
    'an accepted job that was refused later': [{ j: [failed('not_accepted')] }, ['j']],
    'an accepted job without events': [{}, ['j']],
    'a job without an order': [{ j: [requested('http://c/'), completed] }],
    'two jobs under one key': [
      { j: [requested('http://a/', 'k'), completed], i: [requested('http://a/', 'k'), completed] },
    ],
  }
  for (const [what, [jobs, answered]] of Object.entries(wrong))
    it(`finds ${what}`, () => {
      expect(complaints(jobs, answered)).to.have.length(1)
    })
})
