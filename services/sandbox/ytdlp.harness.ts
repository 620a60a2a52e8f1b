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
  /** What is read, by name. */
  wishes: readonly (YtdlpWish & { id: string })[]
  /** The disturbances that remove a field, by the field's name: `url` is read once without each, under that name. */
  without?: { fields: Record<string, readonly Disturbance[]>; url: string }
  disturbances?: readonly Disturbance[]
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

/** A harness for the calling suite. Without yt-dlp its tests are left out, with the reason. */
export function tryYtdlp(options: YtdlpHarnessOptions): Omit<YtdlpHarness, 'start'> {
  const harness = new YtdlpHarness()
  needYtdlp()
  before(() => harness.start(options))
  after(() => harness.sandbox?.close())
  return harness
}
