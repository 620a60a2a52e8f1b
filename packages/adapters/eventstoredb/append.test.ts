import { Readable } from 'node:stream'
import {
  type EventStoreDBClient,
  MaxAppendSizeExceededError,
  StreamDeletedError,
  StreamNotFoundError,
  WrongExpectedVersionError,
} from '@eventstore/db-client'
import { expect } from 'chai'
import type { EncodedEvent } from '#packages/events/format/codec.ts'
import { AppendTooLargeError, RevisionConflictError, StreamRemovedError } from '#packages/ports/event-store.ts'
import { failureOf } from '#packages/ports/event-store-samples.contract.ts'
import { appendExactly } from './append.ts'
import { type Proposed, proposedOf } from './calls/append-request.ts'
import type { Connection } from './connection.ts'

const ids = ['00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000b']
const events: EncodedEvent[] = ids.map((id) => ({ id, type: 'T', version: 1, data: '{}', metadata: '{}' }))
const conflict = new WrongExpectedVersionError(null as never, { streamName: 'job-1', current: 5n, expected: 3n })

/** A client with scripted answers to appends and reads. */
function script(answer: unknown, stored: { id: string; revision: bigint }[] = []) {
  const asked = { appends: [] as Proposed[], reads: 0 }
  const client = {
    readStream() {
      asked.reads++
      const items = stored.map((event) => ({ event: { ...event, position: { commit: 90n, prepare: 90n } } }))
      return Object.assign(Readable.from(items), { cancel: async () => undefined })
    },
  } as unknown as EventStoreDBClient
  const appends = {
    async append(proposed: Proposed) {
      asked.appends.push(proposed)
      if (answer instanceof Error) throw answer
      return answer
    },
  }
  const askAfter = (repeats: number) =>
    ({
      options: { deadlineMs: 100, patienceMs: 100, onTrouble: () => undefined },
      appendsOf: (of: EventStoreDBClient) => of === client && appends,
      askOverStream: (call: (client: EventStoreDBClient, repeats: number) => Promise<unknown>) => call(client, repeats),
    }) as unknown as Connection
  return { asked, append: (repeats = 0) => appendExactly(askAfter(repeats), proposedOf('job-1', 3, events)) }
}

describe('an append to EventStoreDB', () => {
  it('has an exact revision', async () => {
    const { asked, append } = script({ revision: 5, position: 77 })
    expect(await append()).to.deep.equal({ revision: 5, position: 77 })
    expect(asked.appends).to.have.length(1)
    expect(asked.appends[0]).to.include({ stream: 'job-1', expected: 3 })
  })

  it('is not sent with an invalid revision, which would break the shared stream for all', async () => {
    for (const wrong of [-1, 1.5, Number.NaN, 2 ** 60])
      expect(() => proposedOf('job-1', wrong, events)).to.throw(RangeError)
    expect(proposedOf('job-1', 0, events).expected).to.equal(0)
  })

  it('succeeds if it conflicts after a lost answer and its own ids are at the next revisions', async () => {
    const ours = ids.map((id, index) => ({ id, revision: BigInt(4 + index) }))
    expect(await script(conflict, ours).append(1)).to.deep.equal({ revision: 5, position: 90 })
  })

  it('conflicts if other ids are there, or fewer, and reads nothing if no answer was lost', async () => {
    const [first, second] = ids.map((id, index) => ({ id, revision: BigInt(4 + index) }))
    if (first === undefined || second === undefined) throw new Error('two ids are needed')
    for (const stored of [[], [first], [second, first], [first, { ...second, id: ids[0] ?? '' }]]) {
      expect(await failureOf(script(conflict, stored).append(1))).to.be.instanceOf(RevisionConflictError)
    }
    const { asked, append } = script(conflict, [first, second])
    expect(await failureOf(append())).to.include({ code: 'revision_conflict', expected: 3, actual: 5 })
    expect(asked.reads).to.equal(0)
  })

  it('fails with the port’s errors if it is too large for the server, or the stream was removed', async () => {
    const tooLarge = MaxAppendSizeExceededError.fromMaxAppendSize(1_048_576)
    expect(await failureOf(script(tooLarge).append())).to.be.instanceOf(AppendTooLargeError)
    const removed = StreamDeletedError.fromStreamName('job-1')
    expect(await failureOf(script(removed).append())).to.be.instanceOf(StreamRemovedError)
    const other = new StreamNotFoundError(undefined as never, 'job-1')
    expect(await failureOf(script(other).append())).to.equal(other)
  })
})
