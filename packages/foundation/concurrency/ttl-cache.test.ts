import { expect } from 'chai'
import { ManualClock } from '#test/doubles/manual-clock.ts'
import { TtlCache } from './ttl-cache.ts'

describe('TtlCache', () => {
  let clock: ManualClock
  let reads: string[]
  beforeEach(() => {
    clock = new ManualClock()
    reads = []
  })
  const options = { ttlMs: 1000, maxEntries: 2 }
  const read = async (key: string): Promise<number | undefined> => {
    reads.push(key)
    if (key === 'bad') throw new Error('cannot be read')
    return key === 'nothing' ? undefined : reads.length
  }

  it('reads a key once for callers at the same time, and again when its value is too old', async () => {
    const cache = new TtlCache(clock, read, options)
    expect(await Promise.all([cache.get('a'), cache.get('a')])).to.deep.equal([1, 1])
    await clock.advance(999)
    expect(await cache.get('a')).to.equal(1)
    await clock.advance(1)
    expect(await cache.get('a')).to.equal(2)
  })

  it('counts the age of a value from the start of its read', async () => {
    const slow = async (key: string): Promise<number | undefined> => {
      await clock.sleep(800)
      return read(key)
    }
    const cache = new TtlCache(clock, slow, options)
    const first = cache.get('a')
    await clock.advance(800)
    expect(await first).to.equal(1)
    await clock.advance(200)
    const second = cache.get('a')
    await clock.advance(800)
    expect(await second).to.equal(2)
  })

  it('caches undefined, but no failure', async () => {
    const cache = new TtlCache(clock, read, options)
    for (let n = 0; n < 2; n++) expect(await cache.get('nothing')).to.equal(undefined)
    for (let n = 0; n < 2; n++) expect(await cache.get('bad').catch(() => 'failed')).to.equal('failed')
    expect(reads).to.deep.equal(['nothing', 'bad', 'bad'])
  })

  it('evicts the least recently used when it is full', async () => {
    const cache = new TtlCache(clock, read, options)
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await cache.get(key)
    expect(reads).to.deep.equal(['a', 'b', 'c', 'b'])
  })
})
