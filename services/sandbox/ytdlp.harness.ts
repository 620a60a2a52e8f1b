import { expect } from 'chai'
import { failureOfMessage } from '#packages/platforms/ytdlp/failure.ts'
import type { CatalogueVideo, Trouble } from './catalogue.ts'
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
  videos: readonly CatalogueVideo[]
  /** The message of yt-dlp for videos with each trouble, and our error code for it. */
  refusals: Partial<Record<Trouble, [message: RegExp, code?: string]>>
  /** Paths that are requested and do not exist. */
  missing?: readonly string[]
}

/** The real yt-dlp on the sites of one platform. */
class YtdlpHarness {
  readonly #outcomes = new Map<string, YtdlpOutcome>()
  sandbox!: Sandbox
  films!: Media

  async start({ sites, wishes }: YtdlpHarnessOptions): Promise<void> {
    this.films = await loadMedia()
    this.sandbox = await startSandbox(sites(this.films))
    const outcomes = await readWithYtdlp(this.sandbox, wishes)
    for (const [index, { id }] of wishes.entries()) this.#outcomes.set(id, outcomes[index] as YtdlpOutcome)
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
  const { videos, refusals, missing = [] } = options
  const harness = new YtdlpHarness()
  needYtdlp()
  before(() => harness.start(options))
  after(() => harness.sandbox?.[Symbol.asyncDispose]())

  it('requests nothing that the sandbox does not have', () => {
    expect(harness.sandbox.refused).to.deep.equal([])
    const gone = harness.sandbox.traffic.of().filter(({ status }) => status === 404)
    expect(gone.map(({ path }) => path)).to.deep.equal(missing)
  })

  for (const [trouble, [message, code]] of Object.entries(refusals))
    it(`refuses a video that is ${trouble} in the words of its platform${code ? `, which are ${code}` : ''}`, () => {
      const refused = videos.filter((one) => one.trouble === trouble)
      expect(refused).to.not.be.empty
      for (const { id } of refused) {
        const error = harness.errorOf(id)
        expect(error).to.match(message)
        if (code) expect(failureOfMessage(error.replace(/^\w+: /, '')).code).to.equal(code)
      }
    })
  return harness
}
