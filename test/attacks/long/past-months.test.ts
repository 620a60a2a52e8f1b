import { expect } from 'chai'
import { Client } from '#test/doubles/service/client.ts'
import { at, Setting } from '#test/doubles/service/setting.ts'
import { shiftedClock } from '#test/doubles/service/shifted-clock.ts'

/** The middle of the month, `away` months from now. */
function middleOf(away: number): number {
  const now = new Date()
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + away, 15)
}

const periodOf = (instant: number): string => new Date(instant).toISOString().slice(0, 7)

/** A service that is stopped and restarted, each time with a clock set to another date. */
class Lives {
  readonly #env: Record<string, string>
  readonly setting: Setting

  private constructor(setting: Setting, env: Record<string, string>) {
    this.setting = setting
    this.#env = env
  }

  /** Its first run begins at `instant`. Requests for `/held.mp4` get no answer. */
  static async begin(instant: number): Promise<Lives> {
    const env = { RATE_HEAVY_FACTOR: '100', JOB_WINDOW_SECONDS: '60', ...shiftedClock(instant - Date.now()) }
    return new Lives(await Setting.start({ env, files: { '/held.mp4': () => {} } }), env)
  }

  /** Kills the service with kill -9 and starts it again with its clock at `instant`; undefined: the true time. */
  async next(instant?: number): Promise<void> {
    await this.setting.service.cut()
    Object.assign(this.#env, shiftedClock(instant === undefined ? 0 : instant - Date.now()))
    await this.setting.service.start()
  }

  /** An organization that is registered at the current time of the service. */
  async organization(plan: string): Promise<Client> {
    const made = await this.setting.service.printed('org', 'create', 'Acme', '--plan', plan, '--json')
    return new Client(() => this.setting.service.base, JSON.parse(made))
  }

  async plan({ orgId }: Client, plan: string): Promise<void> {
    await this.setting.service.printed('org', 'plan', orgId, plan)
  }

  /** Jobs that do not end by themselves in this run, 5 credits each. */
  held(client: Client, count: number): Promise<void> {
    return this.#enqueue(client, '/held.mp4', count)
  }

  /** Jobs that fail soon, 5 credits each. */
  failing(client: Client, count: number): Promise<void> {
    return this.#enqueue(client, '/nothing.mp4', count)
  }

  async #enqueue(client: Client, path: string, count: number): Promise<void> {
    await Promise.all(
      Array.from({ length: count }, (_, n) => client.enqueue({ url: at(`${path}?${n}`), mode: 'generate' })),
    )
  }

  /** Months that gave credits, in order. */
  async renewals({ orgId }: Client): Promise<string[]> {
    const events = await (await this.setting.backDoor()).store.read(`credits-${orgId}`)
    return events.flatMap(({ type, data }) => (type === 'CreditsRenewed' && data.credits > 0 ? [data.period] : []))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.setting[Symbol.asyncDispose]()
  }
}

describe('credits of a month that has ended', function () {
  this.timeout(300_000)

  it('are not refunded in the next: 205 jobs that fail after the turn of the month leave what the month gives', async () => {
    await using lives = await Lives.begin(middleOf(-1))
    const [pro, free] = [await lives.organization('pro'), await lives.organization('free')]
    await Promise.all([lives.held(pro, 205), lives.held(free, 10)])
    expect(await pro.credits()).to.equal(2050 - 205 * 5)
    await lives.next()
    await lives.setting.rest()
    expect(await pro.credits()).to.equal(2000)
    expect(await lives.renewals(pro)).to.deep.equal([periodOf(middleOf(-1)), periodOf(Date.now())])
    expect(await free.credits(), 'those of a sign-up have not expired').to.equal(50)
  })

  it('are not refunded after two turns; those of this month, and those from before the first plan, are', async () => {
    await using lives = await Lives.begin(middleOf(-2))
    const [starter, late] = [await lives.organization('starter'), await lives.organization('free')]
    await lives.held(starter, 20)
    await lives.next(middleOf(-1))
    await Promise.all([lives.held(starter, 20), lives.held(late, 4)])
    await lives.next()
    await lives.plan(late, 'pro')
    await lives.failing(starter, 3)
    await lives.setting.rest()
    expect(await starter.credits()).to.equal(500)
    expect(await late.credits()).to.equal(2050)
  })
})

describe('a clock that was once wrong', function () {
  this.timeout(300_000)

  it('by years costs no renewal, and grants no month twice', async () => {
    await using lives = await Lives.begin(middleOf(-1))
    const [one, other] = [await lives.organization('pro'), await lives.organization('starter')]
    await lives.next(Date.UTC(2031, 4, 1))
    await lives.held(one, 1)
    await lives.next(middleOf(-1))
    await lives.held(one, 2)
    await lives.held(other, 1)
    const months = [periodOf(middleOf(-1)), '2031-05']
    expect(await lives.renewals(one)).to.deep.equal(months)
    await lives.next()
    await lives.held(one, 1)
    expect(await lives.renewals(one)).to.deep.equal([...months, periodOf(Date.now())])
    expect(await one.credits()).to.equal(1995)
    expect(await other.credits()).to.equal(500)
  })
})
