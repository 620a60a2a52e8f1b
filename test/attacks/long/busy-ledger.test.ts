import { expect } from 'chai'
import { Organizations } from '#packages/accounts/organizations/organizations.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { openedForAll } from '#test/doubles/opened.ts'
import { at, Setting } from '#test/doubles/service/setting.ts'

const ADDS = 64

describe('a ledger with many writers at once', function () {
  this.timeout(360_000)
  const setting = openedForAll(() => Setting.start({ speech: null, env: { RATE_HEAVY_FACTOR: '100' } }))

  /** Posts ADDS jobs at once that soon fail, while `rival` keeps writing to the same ledger. */
  async function addBeside(
    rival: (orgId: string) => Promise<unknown>,
    creditsEach = 1,
  ): Promise<{ statuses: number[]; rivals: number }> {
    const me = await setting.client({ plan: 'pro' })
    let rivals = 0
    let over = false
    const rivalry = (async () => {
      for (; !over; rivals++) await rival(me.orgId)
    })()
    const adds = Array.from({ length: ADDS }, (_, n) =>
      me.transcript({ url: at(`/nothing.mp4?n=${n}`), mode: 'native' }),
    )
    const answers = await Promise.all(adds).finally(() => {
      over = true
    })
    await rivalry
    const events = await setting.rest()
    const debits = events.filter(({ type, stream }) => type === 'CreditsDebited' && stream === `credits-${me.orgId}`)
    expect(debits).to.have.length(ADDS)
    expect(await me.credits(), 'each is given back: there is no such video').to.equal(2050 + rivals * creditsEach)
    return { statuses: answers.map(({ status }) => status), rivals }
  }

  /** Grants a credit in this process. */
  const grant = async (orgId: string) => {
    const { store, ledgers } = await setting.backDoor()
    return new Organizations({ store, clock, ids, ledgers }).grant(orgId, 1)
  }

  it('is slow, never unavailable, while another process grants credits', async () => {
    const { statuses, rivals } = await addBeside(grant)
    expect(statuses).to.deep.equal(Array.from({ length: ADDS }, () => 202))
    expect(rivals, 'appends of the other process').to.be.above(0)
  })

  it('is slow, never unavailable, when others grant 32 at once, repeatedly', async () => {
    let grants = 0
    const { statuses } = await addBeside(async (orgId) => {
      grants += 32
      await Promise.all(Array.from({ length: 32 }, () => grant(orgId)))
    }, 32)
    expect(grants).to.be.above(31)
    expect(statuses).to.deep.equal(Array.from({ length: ADDS }, () => 202))
  })

  it('is slow, never unavailable, when two ledgers are contended at once', async () => {
    for (const { statuses } of await Promise.all([addBeside(grant), addBeside(grant)]))
      expect(statuses).to.deep.equal(Array.from({ length: ADDS }, () => 202))
  })
})
