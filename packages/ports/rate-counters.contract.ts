import { expect } from 'chai'
import { RATE_WINDOW_SECONDS, type RateCounters } from './rate-counters.ts'

export type RateCountersFixture = AsyncDisposable & { counters: RateCounters }

const windowMs = RATE_WINDOW_SECONDS * 1000

/** Checks the promises of RateCounters. */
export function describeRateCounters(name: string, makeFixture: () => Promise<RateCountersFixture>): void {
  describe(`${name} keeps the promises of RateCounters`, () => {
    let fixture: RateCountersFixture
    let counters: RateCounters
    beforeEach(async () => {
      fixture = await makeFixture()
      counters = fixture.counters
    })
    afterEach(() => fixture[Symbol.asyncDispose]())

    it('counts the requests of each key, whatever limit is passed', async () => {
      const { count } = counters('light')
      const counts = [await count('acme', 5), await count('acme', 3), await count('globex', 5), await count('acme', 5)]
      expect(counts.map(({ counted }) => counted)).to.deep.equal([1, 2, 1, 3])
    })

    it('counts several requests at once', async () => {
      const { count } = counters('light')
      const counts = await Promise.all([count('acme', 30, 10), count('acme', 30), count('acme', 30, 19)])
      expect(counts.map(({ counted }) => counted)).to.deep.equal([10, 11, 30])
    })

    it('counts a burst exactly up to the limit, and returns a greater number beyond it', async () => {
      const { count } = counters('heavy')
      const counts = (await Promise.all(Array.from({ length: 200 }, () => count('acme', 30)))).map(
        (each) => each.counted,
      )
      expect(counts.slice(0, 30)).to.deep.equal(Array.from({ length: 30 }, (_, n) => n + 1))
      expect(counts.slice(30).filter((counted) => counted <= 30)).to.deep.equal([])
      expect((await count('acme', 30)).counted).to.be.above(30)
      expect((await count('acme', 30, 5)).counted).to.be.above(30)
    })

    it('counts a large limit exactly, one by one and in bursts, including returned requests', async () => {
      const { count, giveBack } = counters('polls')
      const counts: number[] = []
      for (let n = 0; n < 70; n++) counts.push((await count('acme', 100)).counted)
      expect(counts).to.deep.equal(Array.from({ length: 70 }, (_, n) => n + 1))
      await giveBack('acme')
      const burst = await Promise.all(Array.from({ length: 40 }, () => count('acme', 100)))
      const admitted = burst.map(({ counted }) => counted).filter((counted) => counted <= 100)
      expect(admitted).to.deep.equal(Array.from({ length: 31 }, (_, n) => n + 70))
    })

    it('counts no request that was returned, and never fewer than none', async () => {
      const { count, giveBack } = counters('heavy')
      await giveBack('acme')
      expect((await count('acme', 3)).counted, 'given back before the first').to.equal(1)
      await count('acme', 3)
      const { endsInMs } = await count('acme', 3)
      await giveBack('acme')
      const again = await count('acme', 3)
      expect(again.counted).to.equal(3)
      expect(again.endsInMs, 'the same window').to.be.at.most(endsInMs)
      await Promise.all([1, 2, 3, 4].map(() => giveBack('acme')))
      expect((await count('acme', 3)).counted).to.equal(1)
      expect((await counters('light').count('acme', 3)).counted, 'another tier').to.equal(1)
    })

    it('returns the time until the window of the first request ends', async () => {
      const { count } = counters('light')
      const first = await count('acme', 2)
      expect(first.endsInMs).to.be.within(windowMs - 10_000, windowMs)
      for (let n = 0; n < 4; n++) {
        const { endsInMs } = await count('acme', 2)
        expect(endsInMs).to.be.within(1, first.endsInMs)
      }
    })
  })
}
