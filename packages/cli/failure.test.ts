import { expect } from 'chai'
import { VideoIntelligenceError } from '../client/error.ts'
import { errorCodeWords, failureCodeWords } from '../foundation/errors/code-words.ts'
import { UsageError } from './command.ts'
import { Interrupted, ItemsFailed, linesOf, outcomeCodeOf, outcomes } from './failure.ts'

const failed = (code: string, details: unknown = null, more = {}) =>
  new VideoIntelligenceError(code, `It is ${code}.`, { status: 400, details, ...more })

const kinds: [number, unknown[]][] = [
  [outcomes.unexpected.code, [new Error('a bug'), failed('unheard_of')]],
  [
    outcomes.usage.code,
    [new UsageError('the URL is missing'), failed('invalid_request'), failed('idempotency_conflict')],
  ],
  [outcomes.authentication.code, [failed('unauthorized'), failed('forbidden', { reason: 'scope' })]],
  [
    outcomes.credits.code,
    [
      failed('insufficient_credits'),
      ...['insufficient_credits', 'plan', 'monthly_credits'].map((reason) => failed('forbidden', { reason })),
    ],
  ],
  [outcomes.notFound.code, [failed('not_found', { code: 'video_private' }), failed('geo_blocked')]],
  [outcomes.rateLimited.code, [failed('rate_limited')]],
  [outcomes.unavailable.code, [failed('unavailable'), failed('network_error'), failed('platform_blocked')]],
  [outcomes.jobFailed.code, [failed('no_speech'), failed('timeout'), new ItemsFailed('2 of 3')]],
  [outcomes.interrupted.code, [new Interrupted(130)]],
  [143, [new Interrupted(143)]],
]

describe('a failed command', () => {
  for (const [code, errors] of kinds)
    it(`ends with ${code} after its kind of error`, () => {
      expect(errors.map(outcomeCodeOf)).to.deep.equal(errors.map(() => code))
    })

  it('has a kind for every code of the contract', () => {
    const codes = [...errorCodeWords.keys(), ...failureCodeWords.keys()].filter((code) => code !== 'job_not_ended')
    expect(codes.filter((code) => outcomeCodeOf(failed(code)) === outcomes.unexpected.code)).to.deep.equal([])
  })

  it('says what happened and what to do', () => {
    const advices: [VideoIntelligenceError, RegExp][] = [
      [failed('unauthorized'), /`cli login` stores a key/],
      [failed('forbidden', { reason: 'insufficient_credits' }), /`cli me` shows the credits left/],
      [failed('forbidden', { reason: 'plan', plansUrl: 'https://x.example/plans' }), /https:\/\/x\.example\/plans/],
      [failed('forbidden', { reason: 'scope', required: 'jobs' }), /the scope `jobs`/],
      [failed('rate_limited', null, { retryAfterSeconds: 6.2 }), /in 7 seconds/],
      [failed('network_error'), /VIDEO_INTELLIGENCE_BASE_URL/],
      [failed('captions_unavailable'), /mode `auto` or `generate`/],
      [failed('not_found', { code: 'video_private' }), /ask the owner to make it public/],
    ]
    for (const [error, advice] of advices) {
      const [first, ...rest] = linesOf(error, 'cli')
      expect(first).to.match(new RegExp(`^${error.code}( \\(.*\\))?: It is ${error.code}\\.$`))
      expect(rest.join('\n')).to.match(advice)
    }
    expect(linesOf(failed('internal_error', null, { requestId: 'r1' }), 'cli').at(-1)).to.contain('request r1')
    expect(linesOf(new UsageError('a word is missing'), 'cli', 'search')).to.deep.equal([
      'usage: a word is missing',
      '`cli search --help` shows what it takes.',
    ])
  })
})
