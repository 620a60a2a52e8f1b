import { expect } from 'chai'
import { EgressError } from '#packages/egress/egress-error.ts'
import { failureOf } from './failure.ts'

describe('the failure of a direct file', () => {
  const told = (...given: Parameters<typeof failureOf>) => {
    const { code, transient } = failureOf(...given) as { code: string; transient: boolean }
    return [code, transient]
  }

  it('is transient when a name is not found for the first time, and permanent the second time', () => {
    const error = new EgressError('not_found', 'cdn.example.com')
    expect(told(error)).to.deep.equal(['upstream_error', true])
    expect(told(error, 1)).to.deep.equal(['upstream_error', false])
    expect(told(new EgressError('unreachable', 'cdn.example.com'), 9)).to.deep.equal(['upstream_error', true])
  })

  it('is permanent when two connection attempts had no answer, but not when a host that answers is slow', () => {
    const silent = new EgressError('no_answer', '203.0.113.1')
    expect([0, 1].map((failures) => told(silent, failures)[1])).to.deep.equal([true, false])
    expect(told(new EgressError('timeout', 'cdn.example.com'), 9)).to.deep.equal(['upstream_error', true])
  })

  it('is permanent when a host has refused three connections', () => {
    const error = new EgressError('no_connection', 'cdn.example.com')
    expect([0, 1, 2].map((failures) => told(error, failures)[1])).to.deep.equal([true, true, false])
  })

  it('is permanent when another attempt would get the same answer', () => {
    for (const reason of ['unreadable', 'tls', 'too_large', 'too_many_redirects', 'refused_address'] as const)
      expect(told(new EgressError(reason, 'cdn.example.com'))[1], reason).to.equal(false)
  })
})
