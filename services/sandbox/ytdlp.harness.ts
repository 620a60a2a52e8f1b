import { isDeepStrictEqual } from 'node:util'
import { expect } from 'chai'
import type { Disturbance } from './disturbance.ts'
import { loadMedia, type Media } from './media.ts'
import {
  type InfoDictionary,
  needYtdlp,
  readWithYtdlp,
  type YtdlpOutcome,
  type YtdlpWish,
} from './real-ytdlp.harness.ts'
import { type Sandbox, startSandbox } from './sandbox.ts'
import type { Site } from './site.ts'

export type YtdlpHarnessOptions = {
  sites: (films: Media) => Site[]
  /** The videos to read, by name. */
  wishes: readonly (YtdlpWish & { id: string })[]
  /**
   * The disturbances that remove a field, by the field's name. `url` is read once without each field, under that name,
   * and must lose only this field. `told`: the fields in yt-dlp's dictionary; `lost`: the fields that depend on another
   * one.
   */
  without?: {
    fields: Record<string, readonly Disturbance[]>
    url: string
    id: string
    told: (info: InfoDictionary) => Record<string, unknown>
    lost?: Record<string, string[]>
  }
  disturbances?: readonly Disturbance[]
  /** Paths that are requested and do not exist. */
  missing?: readonly string[]
}

/** The real yt-dlp on the sites of one platform. */
class YtdlpHarness {
  readonly #outcomes = new Map<string, YtdlpOutcome>()
  sandbox!: Sandbox
  films!: Media

  async start({ sites, wishes, without, disturbances = [] }: YtdlpHarnessOptions): Promise<void> {
    this.films = await loadMedia()
    this.sandbox = await startSandbox({ sites: sites(this.films) })
    for (const disturbance of disturbances) this.sandbox.disturb(disturbance)
    const { fields, url } = without ?? { fields: {}, url: '' }
    for (const [exit, orders] of Object.entries(fields))
      for (const order of orders) this.sandbox.disturb({ ...order, exit })
    const all = [...wishes, ...Object.keys(fields).map((exit) => ({ id: exit, url, exit }))]
    const outcomes = await readWithYtdlp(this.sandbox, all)
    for (const [index, { id }] of all.entries()) this.#outcomes.set(id, outcomes[index] as YtdlpOutcome)
  }

  readonly outcomeOf = (id: string): YtdlpOutcome => {
    const outcome = this.#outcomes.get(id)
    if (!outcome) throw new Error(`${id} was not read`)
    return outcome
  }

  readonly readOf = (id: string): Extract<YtdlpOutcome, { info: InfoDictionary }> => {
    const outcome = this.outcomeOf(id)
    if (outcome.info) return outcome
    throw new Error(`${id}: ${outcome.error}`)
  }

  readonly infoOf = (id: string): InfoDictionary => this.readOf(id).info

  readonly errorOf = (id: string): string => {
    const { error } = this.outcomeOf(id)
    if (error !== undefined) return error
    throw new Error(`${id} was read`)
  }
}

/**
 * A harness for the calling suite, and the tests that all platforms share. Without yt-dlp they are skipped, with the
 * reason.
 */
export function tryYtdlp(options: YtdlpHarnessOptions): Omit<YtdlpHarness, 'start'> {
  const { without, missing = [] } = options
  const harness = new YtdlpHarness()
  needYtdlp()
  before(() => harness.start(options))
  after(() => harness.sandbox?.close())

  it('requests nothing that the sandbox does not have', () => {
    expect(harness.sandbox.refused).to.deep.equal([])
    const gone = harness.sandbox.traffic.of().filter(({ status }) => status === 404)
    expect(gone.map(({ path }) => path)).to.deep.equal(missing)
  })

  for (const field of Object.keys(without?.fields ?? {}))
    it(`can be without the field ${field}, and loses no other`, () => {
      const { told, id, lost } = without as NonNullable<typeof without>
      const [lacking, whole] = [told(harness.infoOf(field)), told(harness.infoOf(id))]
      const names = Object.keys(whole).filter((name) => !isDeepStrictEqual(lacking[name], whole[name]))
      expect(names).to.have.members(lost?.[field] ?? [field])
    })
  return harness
}
