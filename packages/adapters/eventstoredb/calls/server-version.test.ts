import { expect } from 'chai'
import { failureOf, grant, historyAfter } from '#packages/ports/event-store-samples.contract.ts'
import { RefusedError } from '#packages/ports/unreachable.ts'
import { type EventStoreDoubleOptions, startEventStoreDouble } from '#test/doubles/eventstoredb/server.ts'
import { until } from '#test/doubles/service/until.ts'
import { fileOfEachTest } from '#test/doubles/temporary-directory.ts'
import { openEventStoreDb } from '../event-store.ts'
import { isRefused } from './server-version.ts'

describe('EventStoreDb and the versions of its server', () => {
  const log = fileOfEachTest('log.sqlite')
  const start = (more: Partial<EventStoreDoubleOptions>) => startEventStoreDouble({ path: log.path, ...more })
  /** The first failure of a follower from the start. */
  const followed = async (url: string): Promise<unknown> => {
    await using store = openEventStoreDb(url)
    return await failureOf(historyAfter(store, 0, ['removal-']))
  }

  it('names a version that cannot be followed, and says which one to use', async () => {
    await using double = await start({ version: '24.6.0' })
    const troubles: string[] = []
    await using store = openEventStoreDb(double.url, { onTrouble: (error) => troubles.push(String(error)) })
    const sentence =
      'the event store refuses: it is EventStoreDB 24.6.0, whose feed cannot be followed; take EventStoreDB 23.10, or 24.10.5 or later'
    for (const call of [store.look(), store.read('job-a'), store.append('job-a', 'no-stream', [grant()])]) {
      const error = await failureOf(call)
      expect(error).to.be.instanceOf(RefusedError)
      expect((error as Error).message).to.equal(sentence)
    }
    expect(troubles).to.include(`Error: ${sentence}`)
    expect(double.calls, 'nothing is read or written').to.include({ read: 0, batchAppend: 0 })
  })

  it('continues once another version is in its place', async () => {
    let double = await start({ version: '24.10.4' })
    await using store = openEventStoreDb(double.url)
    expect(await failureOf(store.look())).to.be.instanceOf(RefusedError)
    const { port } = double
    await double[Symbol.asyncDispose]()
    double = await start({ version: '24.10.5', port })
    try {
      await until('it is taken', async () => (await failureOf(store.look())) === undefined)
      expect(await store.append('job-a', 'no-stream', [grant()])).to.have.property('revision', 0)
    } finally {
      await double[Symbol.asyncDispose]()
    }
  })

  it('refuses 24.2.0 to 24.10.4, and no other', () => {
    const refused = ['24.2.0', '24.2', '24.6.0', '24.6.0.0', '24.10.0', '24.10.4', '24.10.4-rc1']
    const taken = [
      '21.10.0',
      '23.10.5',
      '24.1.9',
      '24.10.5',
      '24.10.12.1',
      '25.0.0',
      '25.1.0',
      '26.1.0',
      '124.6.0',
      'oss',
      '',
    ]
    expect([...refused, ...taken].filter(isRefused)).to.deep.equal(refused)
  })

  for (const [what, given] of [
    ['2^64 - 1, which those versions send', '18446744073709551615'],
    ['2^63, more than a signed number holds', '9223372036854775808'],
    ['2^53, the first that is not exact', '9007199254740992'],
  ] as const)
    it(`ignores a checkpoint with a position that is not a safe integer: ${what}`, async () => {
      await using double = await start({ emptyCheckpoint: given })
      const error = await followed(double.url)
      expect(error).to.have.property('code', 'position')
      expect(String(error)).to.match(/gave position \d+, which exceeds what is exact here/)
    })

  it('follows by a checkpoint that is exact', async () => {
    await using double = await start({ emptyCheckpoint: '548' })
    expect(await followed(double.url)).to.equal(undefined)
  })
})
