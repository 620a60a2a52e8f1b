import { type EventStoreDBClient, type jsonEvent, NO_STREAM } from '@eventstore/db-client'
import { expect } from 'chai'
import {
  expectations,
  firstAppends,
  limits,
  repeats,
  repeatsAfterRestart,
} from '#test/doubles/eventstoredb/replay/appending.ts'
import { testAnswers } from '#test/doubles/eventstoredb/replay/asked.ts'
import { removals } from '#test/doubles/eventstoredb/replay/removing.ts'
import { Normalized } from '#test/doubles/eventstoredb/replay/seen.ts'
import { Setting } from '#test/doubles/eventstoredb/replay/setting.ts'
import { describeRecorded, recordedBehaviour } from '#test/doubles/recordings.ts'
import { proposedOf } from './append-request.ts'
import { BatchAppend } from './batch-append.ts'

type Event = ReturnType<typeof jsonEvent>
type Options = { expectedRevision?: unknown; credentials?: unknown }

/** The double and the real client, whose appends at an exact revision or NO_STREAM go over our stream. */
class OurSetting extends Setting {
  readonly #streams = new Map<EventStoreDBClient, BatchAppend>()
  appends = 0

  override append(stream: string, events: Event | Event[], options: Options = {}) {
    const { expectedRevision: expected, credentials } = options
    const isOurs = expected === NO_STREAM || (typeof expected === 'bigint' && expected >= 0n)
    return isOurs && credentials === undefined
      ? this.#ours(stream, [events].flat(), expected === NO_STREAM ? 'no-stream' : Number(expected))
      : super.append(stream, events, options)
  }

  async #ours(stream: string, events: Event[], expected: number | 'no-stream') {
    this.appends++
    const known = this.#streams.get(this.client)
    const appends =
      known ?? new BatchAppend(this.client, { credentials: { username: 'u', password: 'p' }, deadlineMs: 20_000 })
    this.#streams.set(this.client, appends)
    const encoded = events.map(({ id, type, data }) => {
      return { id, type, version: 1, data: JSON.stringify(data), metadata: '{}' }
    })
    const { revision, position } = await appends.append(proposedOf(stream, expected, encoded))
    const at = { commit: BigInt(position), prepare: BigInt(position) }
    return { success: true, nextExpectedRevision: BigInt(revision), position: at }
  }

  override async stop(): Promise<void> {
    for (const appends of this.#streams.values()) appends[Symbol.dispose]()
    await super.stop()
  }
}

/** What the server answers is part of what we rely on: the same calls as the recorded ones, over our own stream. */
describe('the stream of appends, asked what the real server was asked', () => {
  const on = new OurSetting()
  before(() => on.start())
  after(() => on.stop())

  const sections = [firstAppends, repeats, expectations, limits, removals, repeatsAfterRestart]
  const steps = sections.flatMap((section) => Object.entries(section(on)))
  const answers = testAnswers(steps)

  it('has made the appends whose expectations are ours', () => {
    expect(on.appends).to.be.at.least(50)
  })

  describeRecorded('what it answers', () => {
    const recordings = recordedBehaviour() ?? []
    const recordingOf = (id: string): unknown =>
      recordings.find(
        ({ name }) => name.startsWith(`${id} `) || name.startsWith(`10a one JSON event with a ${id.slice(4)}-`),
      )?.observed
    const theirs = new Normalized()
    for (const [id] of steps)
      it(`${id} is what was recorded, in every field`, () => {
        expect(answers.get(id)).to.deep.equal(theirs.of(recordingOf(id)))
      })
  })
})
