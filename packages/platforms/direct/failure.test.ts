import { expect } from 'chai'
import { EgressError } from '#packages/egress/egress-error.ts'
import { failureOf } from './failure.ts'

describe('why a direct file cannot be read', () => {
  const told = (...given: Parameters<typeof failureOf>) => {
    const { code, transient } = failureOf(...given) as { code: string; transient: boolean }
    return [code, transient]
  }

  it('is worth another attempt where a name is not found for the first time, and not where it is not again', () => {
    const error = new EgressError('not_found', 'cdn.example.com')
    expect(told(error)).to.deep.equal(['upstream_error', true])
    expect(told(error, true)).to.deep.equal(['video_unavailable', false])
    expect(told(new EgressError('unreachable', 'cdn.example.com'), true)).to.deep.equal(['upstream_error', true])
  })

  it('is worth none where the same host would say the same again', () => {
    for (const reason of ['unreadable', 'tls', 'too_large', 'too_many_redirects', 'refused_address'] as const)
      expect(told(new EgressError(reason, 'cdn.example.com'))[1], reason).to.equal(false)
  })
})
