import { expect } from 'chai'
import { PaceError } from '#packages/foundation/errors/pace-error.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import { problemOf } from './step-problem.ts'

describe('the problem of an attempt', () => {
  it('says whether a request was made to the platform', () => {
    expect(problemOf(new PaceError(240_000), 'caption')).to.include({ code: 'upstream_error', unasked: true })
    for (const asked of [new StepError('upstream_error', { transient: true }), new Error('a mistake of ours')])
      expect(problemOf(asked, 'caption')).to.include({ unasked: false })
  })
})
