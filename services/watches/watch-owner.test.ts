import { expect } from 'chai'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import { parseSource } from '#packages/platforms/sources/source.ts'
import { streams } from '#packages/ports/ids.ts'
import { settle } from '#test/doubles/manual-clock.ts'
import { openedForEach } from '#test/doubles/opened.ts'
import { channel, DAY_MS, HOUR_MS, House, transcript, video } from './watches.harness.ts'

const ORG = 'acme'
const asked = { request: transcript, maxCreditsPerMonth: 100 }

describe('the owner of the watches', () => {
  const house = openedForEach(() => new House())
  beforeEach(async () => {
    await house.organization(ORG, 'pro', 1000)
  })

  const get = (watchId: string) => house.watches.get(ORG, watchId)
  const numbersOf = async (watchId: string, after = 0): Promise<[number, string | null][]> => {
    const { found } = await house.watches.found(ORG, watchId, { after, limit: 1000 })
    return found.map(({ number, title }) => [number, title])
  }

  it('loses and repeats nothing in ten days, while the source fails for two and owners are killed', async () => {
    const start = house.clock.now()
    const published = () => Math.floor((house.clock.now() - start) / (3 * HOUR_MS))
    const isAway = () => house.clock.now() >= start + 3 * DAY_MS && house.clock.now() < start + 5 * DAY_MS
    house.items = () => {
      if (isAway()) throw new ServiceError('upstream_error', 'The platform refuses.')
      const newest = published()
      // Older videos fall off the page.
      return Array.from({ length: 30 }, (_, i) => video(newest + 100 - i))
    }
    for (let n = 0; n < 100; n++) house.dates.set(video(n + 100).url, start + n * 3 * HOUR_MS)
    for (let n = 0; n <= 100; n++) house.dates.set(video(n).url, start - DAY_MS)
    let kill = house.start()
    const watchId = await house.watch(ORG, asked)
    await settle()
    expect(await numbersOf(watchId), 'the first look is a base line').to.deep.equal([])
    for (let day = 0; day < 10; day++) {
      await house.pass(DAY_MS / 2 + day * 1000)
      await kill()
      kill = house.start()
      await house.pass(DAY_MS / 2)
      if (day === 3) expect((await get(watchId)).failure?.code).to.equal('upstream_error')
    }
    await house.pass(2 * HOUR_MS)
    const expected = Array.from({ length: published() }, (_, i) => video(101 + i))
    const found = await numbersOf(watchId)
    expect(found).to.deep.equal(expected.map(({ title }, i) => [i + 1, title]))
    expect(await numbersOf(watchId, 70), 'each once after a cursor').to.deep.equal(found.slice(70))
    const jobs = await house.jobsOf(ORG)
    expect(jobs.urls).to.deep.equal(expected.map(({ url }) => url))
    expect(jobs.credits).to.equal(expected.length)
    expect(await get(watchId)).to.deep.include({ status: 'on', failure: null, creditsThisMonth: expected.length })
  }).timeout(60_000)

  it('reads equal sources of several organizations once', async () => {
    await house.organization('other', 'pro', 10)
    house.items = () => [video(1)]
    house.start()
    await house.watch(ORG)
    await house.watch('other', { source: parseSource({ type: 'channel', url: 'youtube.com/@NAME' }) })
    await settle()
    const before = house.reads
    await house.pass(DAY_MS)
    expect(house.reads - before)
      .to.be.at.least(23)
      .and.at.most(25)
  })

  it('changes nothing on an empty or refused look, and decides an undated video later', async () => {
    let answer = (): ReturnType<House['items']> => [video(1)]
    house.items = () => answer()
    house.start()
    const watchId = await house.watch(ORG)
    await settle()
    answer = () => []
    await house.pass(2 * HOUR_MS)
    answer = () => {
      throw new ServiceError('upstream_error', 'The platform refuses.')
    }
    await house.pass(2 * HOUR_MS)
    answer = () => [video(2), video(1)]
    await house.pass(2 * HOUR_MS)
    expect(await numbersOf(watchId), 'its date is not known').to.deep.equal([])
    house.dates.set(video(2).url, house.clock.now() - HOUR_MS)
    await house.pass(2 * HOUR_MS)
    expect(await numbersOf(watchId)).to.deep.equal([[1, 'Video 2']])
  })

  it('counts videos published after it was made as new, and the newest ones of a backfill', async () => {
    const now = house.clock.now()
    house.items = () => [video(3, now - HOUR_MS), video(2, now - 2 * HOUR_MS), video(1, now - DAY_MS)]
    house.start()
    const watchId = await house.watch(ORG, { ...asked, backfill: 2 })
    await settle()
    expect(await numbersOf(watchId)).to.deep.equal([
      [1, 'Video 2'],
      [2, 'Video 3'],
    ])
    house.items = () => [video(5, now + HOUR_MS), video(4, now - DAY_MS)]
    await house.pass(2 * HOUR_MS)
    expect(await numbersOf(watchId, 2), 'an old one that comes up again is not new').to.deep.equal([[3, 'Video 5']])
    expect((await house.jobsOf(ORG)).urls).to.deep.equal([video(2).url, video(3).url, video(5).url])
  })

  it('finds videos added to a playlist, at any place in it', async () => {
    house.items = () => [video(1, 0), video(2, 0)]
    house.start()
    const source = parseSource({ type: 'playlist', id: 'PLabcdefghijk' })
    const watchId = await house.watch(ORG, { source })
    await settle()
    house.items = () => [video(1, 0), video(9, 0), video(2, 0)]
    await house.pass(2 * HOUR_MS)
    expect(await numbersOf(watchId)).to.deep.equal([[1, 'Video 9']])
  })

  describe('pauses, says so, and continues when it is resumed', () => {
    const resume = (watchId: string, more = {}) =>
      house.watches.change(watchId, { status: 'on', ...more }, { plan: 'pro', metadata: house.metadata(ORG) })
    const publish = (count: number): void => {
      house.items = () =>
        Array.from({ length: count }, (_, i) => video(count - i, house.clock.now() - HOUR_MS / 2)).concat(video(0, 0))
    }

    it('when it reaches its monthly credits', async () => {
      publish(0)
      house.start()
      const watchId = await house.watch(ORG, { ...asked, maxCreditsPerMonth: 2 })
      await house.pass(HOUR_MS)
      publish(3)
      await house.pass(2 * HOUR_MS)
      expect(await get(watchId)).to.deep.include({ status: 'paused', reason: 'cap', creditsThisMonth: 2, found: 3 })
      await resume(watchId, { maxCreditsPerMonth: 3 })
      await settle()
      expect((await house.jobsOf(ORG)).urls).to.deep.equal([1, 2, 3].map((n) => video(n).url))
      expect(await get(watchId)).to.deep.include({ status: 'on', reason: null })
    })

    it('when the organization runs out of credits', async () => {
      await house.organization('poor', 'free', 1)
      publish(0)
      house.start()
      const watchId = await house.watch('poor', { ...asked, request: { ...transcript, mode: 'generate' } })
      await house.pass(HOUR_MS)
      publish(2)
      await house.pass(2 * DAY_MS)
      const known = await house.watches.get('poor', watchId)
      expect(known).to.deep.include({ status: 'paused', reason: 'credits', found: 2, creditsThisMonth: 0 })
    })

    it('when its key is revoked', async () => {
      publish(0)
      house.start()
      const data = { orgId: ORG, name: 'k', sha256: 'a'.repeat(64), prefix: 'sk_test', suffix: 'abcd' }
      const grant = { scopes: null, monthlyCredits: null, expiresAt: null, createdBy: null }
      await house.append(ORG, streams.key('k1'), { type: 'KeyCreated', data: { ...data, ...grant } })
      const watchId = await house.watch(ORG, asked, 'k1')
      await settle()
      await house.append(ORG, streams.key('k1'), { type: 'KeyRevoked', data: { orgId: ORG } })
      await house.pass(60_000)
      expect(await get(watchId)).to.deep.include({ status: 'paused', reason: 'key' })
      expect(await resume(watchId).catch(({ code }: ServiceError) => code)).to.equal('forbidden')
    })

    it('when the source does not exist, or cannot be read for a week', async () => {
      house.items = () => {
        throw new ServiceError('not_found', 'There is no such channel.')
      }
      house.start()
      const wrong = await house.watch(ORG)
      await settle()
      expect(await get(wrong)).to.deep.include({ status: 'paused', reason: 'source', nextLookAt: null })
      publish(0)
      await house.pass(HOUR_MS)
      const watchId = await house.watch(ORG)
      await settle()
      house.items = () => {
        throw new ServiceError('upstream_error', 'The platform refuses.', {
          cause: new StepError('upstream_error', { transient: true, message: '' }),
        })
      }
      await house.pass(6 * DAY_MS)
      expect((await get(watchId)).status).to.equal('on')
      await house.pass(2 * DAY_MS)
      expect(await get(watchId)).to.deep.include({ status: 'paused', reason: 'source' })
      publish(0)
      await resume(watchId)
      await settle()
      expect(await get(watchId)).to.deep.include({ status: 'on', failure: null })
    }).timeout(30_000)

    it('when no member was seen for ninety days', async () => {
      publish(0)
      house.start()
      const watchId = await house.watch(ORG, { every: '1d' })
      await house.clock.jump(80 * DAY_MS)
      house.seenAt = house.clock.now()
      await house.clock.jump(80 * DAY_MS)
      expect((await get(watchId)).status).to.equal('on')
      await house.clock.jump(12 * DAY_MS)
      await house.pass(DAY_MS)
      expect(await get(watchId)).to.deep.include({ status: 'paused', reason: 'unseen' })
    })
  })

  it('looks no more often than the current plan allows', async () => {
    await house.organization('free', 'free', 10)
    house.items = () => [video(1)]
    house.start()
    await house.watch('free', channel)
    await settle()
    const before = house.reads
    await house.pass(3 * DAY_MS)
    expect(house.reads - before).to.be.within(2, 4)
  })
})
