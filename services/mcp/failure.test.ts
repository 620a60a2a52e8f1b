import { expect } from 'chai'
import { VideoIntelligenceError } from '#packages/client/error.ts'
import { textOf } from '#test/doubles/mcp/mcp.harness.ts'
import { failureResult } from './failure.ts'

const nextStepAfter = (retryAfterSeconds: number | undefined): string => {
  const error = new VideoIntelligenceError('unavailable', 'Not now.', { status: 503, retryAfterSeconds })
  const told = failureResult(error)
  expect(told.isError).to.equal(true)
  return /^next step: (.+)$/m.exec(textOf(told))?.[1] ?? ''
}

describe('the next step for an agent when the service is busy', () => {
  it('is to wait if that takes seconds, but not if it takes hours or does not help', () => {
    expect(nextStepAfter(4.2)).to.equal('Wait 5 seconds, then call again with the same arguments.')
    expect(nextStepAfter(600)).to.contain('Wait 600 seconds')
    expect(nextStepAfter(6 * 3600)).to.match(/^Do not wait\..*still possible.*when to ask again/)
    expect(nextStepAfter(undefined)).to.contain('waiting does not help')
  })
})

describe('the next step for an agent when a read fails', () => {
  const nextStepOf = (code: string): string => {
    const details = { platform: 'youtube', code }
    const error = new VideoIntelligenceError('not_found', 'Not found.', { status: 404, details })
    return /^next step: (.+)$/m.exec(textOf(failureResult(error)))?.[1] ?? ''
  }

  it('depends on the reason: for a private video it is not to check the URL', () => {
    expect(nextStepOf('video_private')).to.contain('Another video is needed').and.to.not.contain('URL')
    expect(nextStepOf('age_restricted')).to.contain('Another video is needed')
    expect(nextStepOf('video_unavailable')).to.contain('Check the URL')
    expect(nextStepOf('one_that_is_not_known')).to.contain('Check the URL')
  })
})
