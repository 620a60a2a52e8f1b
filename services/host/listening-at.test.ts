import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect } from 'chai'
import { ConfigError } from '#packages/foundation/config/variable.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { listeningAt } from './listening-at.ts'

describe('a listening address', () => {
  it('that is taken is reported with its port, the variables that name it, and what to set', async () => {
    await using taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    const listening = once(createServer().listen(port, '127.0.0.1'), 'listening')
    const error = await failureOf(listeningAt('HOST and PORT', listening))
    expect(error).to.be.instanceOf(ConfigError)
    expect(error.message).to.equal(
      `HOST and PORT cannot be had: port ${port} is taken: choose another one, or 0 for any free one`,
    )
  })

  it('that fails for another reason is reported with that reason', async () => {
    const error = await failureOf(listeningAt('METRICS_PORT', Promise.reject(new Error('not allowed'))))
    expect(error.message).to.equal('METRICS_PORT cannot be had: not allowed')
  })
})
