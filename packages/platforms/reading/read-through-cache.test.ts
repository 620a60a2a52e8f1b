import { expect } from 'chai'
import { ManualClock } from '#test/doubles/manual-clock.ts'
import { ReadThroughCache } from './read-through-cache.ts'

describe('ReadThroughCache', () => {
  const signal = new AbortController().signal
  const counted = () => {
    let calls = 0
    return { read: async () => ({ call: ++calls }), calls: () => calls }
  }

  it('shares one read among requests at the same time', async () => {
    const reads = new ReadThroughCache<{ call: number }>({ clock: new ManualClock(), seconds: 0 })
    const { read, calls } = counted()
    const answers = await Promise.all([1, 2, 3].map(() => reads.get('video', { signal }, read)))
    expect([answers.map(({ call }) => call), calls()]).to.deep.equal([[1, 1, 1], 1])
  })

  it('reports for each lookup whether it needed its own read', async () => {
    const hits: boolean[] = []
    const onLookup = (isHit: boolean): void => void hits.push(isHit)
    const reads = new ReadThroughCache<{ call: number }>({ clock: new ManualClock(), seconds: 600, onLookup })
    const { read } = counted()
    await Promise.all([1, 2].map(() => reads.get('video', { signal }, read)))
    await reads.get('video', { signal }, read)
    await reads.get('other', { signal }, () => Promise.reject(new Error('gone'))).catch(() => {})
    expect(hits).to.have.members([true, false, true])
  })

  it('serves a result again until it expires', async () => {
    const clock = new ManualClock()
    const reads = new ReadThroughCache<{ call: number }>({ clock, seconds: 600 })
    const { read } = counted()
    await reads.get('video', { signal }, read)
    await clock.advance(599_000)
    expect(await reads.get('video', { signal }, read)).to.deep.equal({ call: 1 })
    await clock.advance(1000)
    expect(await reads.get('video', { signal }, read)).to.deep.equal({ call: 2 })
  })

  it('evicts the oldest results when it is full', async () => {
    const reads = new ReadThroughCache<string>({ clock: new ManualClock(), seconds: 600, maxCharacters: 20 })
    const ask = (key: string, value: string) => reads.get(key, { signal }, async () => value)
    await ask('a', 'one')
    await ask('b', 'x'.repeat(12))
    expect(await ask('a', 'two'), 'both fit').to.equal('one')
    await ask('c', 'y'.repeat(12))
    expect([await ask('a', 'two'), await ask('b', 'new')]).to.deep.equal(['one', 'new'])
    await ask('d', 'z'.repeat(99))
    expect(await ask('d', 'new'), 'larger than the whole cache').to.equal('new')
  })

  for (const [bound, size, limit] of [
    ['entries', 1, 2000],
    ['characters', 100_000, 100],
  ] as const)
    it(`never evicts others' results for one organization: ${bound}`, async () => {
      const reads = new ReadThroughCache<string>({ clock: new ManualClock(), seconds: 600, maxCharacters: 10_000_000 })
      const ask = (key: string, organization: string, value: string) =>
        reads.get(key, { organization, signal }, async () => value)
      await ask('his', 'b', 'his')
      for (let number = 0; number < 2 * limit; number++) await ask(`hers ${number}`, 'a', 'x'.repeat(size))
      expect(await ask('his', 'c', 'read again'), 'his serves all').to.equal('his')
      expect(await ask(`hers ${2 * limit - 1}`, 'b', 'read again'), 'her newest').to.not.equal('read again')
      expect(await ask(`hers ${2 * limit - limit / 4 - 1}`, 'b', 'read again'), 'beyond her share').to.equal(
        'read again',
      )
    })

  it('caches no failure', async () => {
    const reads = new ReadThroughCache<{ call: number }>({ clock: new ManualClock(), seconds: 600 })
    const failed = await reads
      .get('video', { signal }, () => Promise.reject(new Error('busy')))
      .catch(({ message }) => message)
    expect(failed).to.equal('busy')
    expect(await reads.get('video', { signal }, counted().read)).to.deep.equal({ call: 1 })
  })

  it('continues a read for the others when one gives up', async () => {
    const reads = new ReadThroughCache<string>({ clock: new ManualClock(), seconds: 0 })
    const answer = Promise.withResolvers<string>()
    const hasty = new AbortController()
    const first = reads.get('video', { signal: hasty.signal }, () => answer.promise).catch((reason) => reason)
    const second = reads.get('video', { signal }, () => answer.promise)
    hasty.abort('gone')
    answer.resolve('read')
    expect([await first, await second]).to.deep.equal(['gone', 'read'])
  })

  it("does not delay others behind a read that waits for its organization's share", async () => {
    const reads = new ReadThroughCache<string>({ clock: new ManualClock(), seconds: 0 })
    const slow = Promise.withResolvers<string>()
    let waits = (_: boolean) => {}
    const hers = reads.get('video', { organization: 'a', signal }, ({ onWait }) => {
      waits = onWait
      return slow.promise
    })
    const his = reads.get('video', { organization: 'b', signal }, async () => 'his own')
    const herNext = reads.get('video', { organization: 'a', signal }, () => expect.fail('read twice'))
    waits(true)
    expect(await his, 'he has joined before it had to wait').to.equal('his own')
    expect(await reads.get('video', { organization: 'b', signal }, async () => 'his next')).to.equal('his next')
    waits(false)
    const joined = reads.get('video', { organization: 'b', signal }, () => expect.fail('read twice'))
    slow.resolve('hers')
    expect(await Promise.all([hers, herNext, joined])).to.deep.equal(['hers', 'hers', 'hers'])
  })
})
