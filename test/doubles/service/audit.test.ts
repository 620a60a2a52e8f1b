import { expect } from 'chai'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { audit } from './audit.ts'

type Written = [stream: string, type: string, data: object]

const granted: Written = ['credits-o', 'CreditsGranted', { credits: 50 }]
const debited: Written = ['credits-o', 'CreditsDebited', { jobId: 'j', credits: 5 }]
const requested: Written = ['job-j', 'JobRequested', { budget: 5, reused: null }]
const read: Written = ['job-j', 'CaptionsRead', {}]
const completed: Written = ['job-j', 'JobCompleted', { credits: 1 }]
const settled: Written = ['credits-o', 'CreditsSettled', { jobId: 'j', charged: 1, refunded: 4 }]

/** One job from its debit to its settlement. */
const history: Written[] = [granted, debited, requested, read, completed, settled]

const complaintsAbout = (events: Written[]): string[] =>
  audit(events.map(([stream, type, data]) => ({ stream, type, data, metadata: { orgId: 'o' } }) as StoredEvent))
    .complaints

const without = (type: string) => history.filter((event) => event[1] !== type)
const changed = (type: string, change: object) =>
  history.map(([stream, name, data]): Written => [stream, name, name === type ? { ...data, ...change } : data])

describe('the audit of all events', () => {
  it('finds nothing wrong with a job that was debited, ended and settled once', () => {
    expect(complaintsAbout(history)).to.deep.equal([])
  })

  it('accepts a free job that has the result of another one', () => {
    const reused = [
      granted,
      ['credits-o', 'CreditsDebited', { jobId: 'j', credits: 0 }],
      ['job-j', 'JobRequested', { budget: 0, reused: 'before' }],
      read,
      completed,
      ['credits-o', 'CreditsSettled', { jobId: 'j', charged: 0, refunded: 0 }],
    ] satisfies Written[]
    expect(complaintsAbout(reused)).to.deep.equal([])
  })

  const wrong: Record<string, Written[]> = {
    'a debit that is not settled': without('CreditsSettled'),
    'a settlement without a debit': without('CreditsDebited'),
    'a job that was never debited': history.filter(([stream]) => stream === 'job-j'),
    'a job without an end': without('JobCompleted'),
    'two ends': [...without('CreditsSettled'), completed, settled],
    'something after the end': [...history, ['job-j', 'StepStarted', {}]],
    'two debits': [granted, debited, ...without('CreditsGranted')],
    'two settlements': [...history, settled],
    'a settlement that does not add up': changed('CreditsSettled', { refunded: 3 }),
    'a charge for more than was done': changed('CreditsSettled', { charged: 5, refunded: 0 }),
    'a balance below zero': changed('CreditsGranted', { credits: 4 }),
    'a budget that is not the debit': changed('JobRequested', { budget: 1 }),
    'a statement that is wrong': [...history, ['credits-o', 'CreditsStated', { balance: 50, openDebits: [] }]],
  }
  for (const [what, events] of Object.entries(wrong))
    it(`finds ${what}`, () => {
      expect(complaintsAbout(events)).to.not.deep.equal([])
    })
})
