import { expect } from 'chai'
import { batch } from '#packages/domain/batch/batch.ts'
import { handleCommand } from '#packages/events/store/handle-command.ts'
import { type EventStore, InvalidEventError } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import { newTraceparent } from '#packages/telemetry/traceparent.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { settleJob } from '#test/doubles/ingress/ended-job.ts'
import { openedForEach } from '#test/doubles/opened.ts'
import { forgetOrganization } from './forget-organization.ts'
import { startRemoval, url } from './removal.harness.ts'

const QUIET_MS = 10_000

describe('forgetting an organization', () => {
  const removal = openedForEach(startRemoval)

  const waitsFor = async (): Promise<string> => (await failureOf<Error>(removal.forget())).message
  const documentsOf = async (orgId: string): Promise<string[]> =>
    [...removal.ingress.documents.collections].flatMap(([name, held]) =>
      [...held].filter((document) => JSON.stringify(document).includes(orgId)).map(([id]) => `${name} ${id}`),
    )

  it('waits until it is closed, no longer served, and its jobs are settled', async () => {
    const { ingress, clock, acme } = removal
    const { jobId } = (await acme.post('/v1/transcript', { url, mode: 'native' })).body
    expect(await waitsFor()).to.contain('not closed')
    await removal.close()
    expect(await waitsFor()).to.contain('under way')
    await clock.advance(QUIET_MS)
    expect(await waitsFor()).to.contain('1 jobs')
    await settleJob(ingress, jobId, 0)
    await removal.forget()
    expect(await ingress.memory.isRemoved(streams.job(jobId))).to.equal(true)
  })

  it('leaves only the decisions, in events and in views, and serves nothing of it; others go on', async () => {
    const { ingress, clock, acme } = removal
    await removal.endedJob()
    const revoked = await acme.post('/v1/keys', { name: 'a known name' })
    await acme.remove(`/v1/keys/${revoked.body.id}`)
    const other = await ingress.org()
    const kept = await removal.endedJob(other)
    await removal.close()
    await clock.advance(QUIET_MS)
    await removal.forget()
    expect(removal.dropped).to.include.members([url, acme.orgId]).and.not.include(other.orgId)
    const left = (await removal.feed()).filter(({ metadata }) => metadata.orgId === acme.orgId)
    expect(new Set(left.map(({ stream }) => stream))).to.deep.equal(new Set([streams.removal(acme.orgId)]))
    expect(JSON.stringify(left)).to.not.match(/known|Acme/)
    await clock.advance(100)
    expect(await documentsOf(acme.orgId)).to.deep.equal([])
    expect((await acme.get('/v1/me')).status).to.equal(401)
    expect((await other.get(`/v1/transcript/${kept}`)).body.status).to.equal('completed')
    expect(await other.credits()).to.equal(49)
    // Repeating it changes nothing.
    await removal.close()
    await removal.forget()
    expect((await removal.feed()).filter(({ metadata }) => metadata.orgId === acme.orgId)).to.deep.equal(left)
  })

  it('waits for the end of a batch, which holds credits, and leaves nothing of it or of a watch', async () => {
    const { ingress, clock, acme, ports } = removal
    const asked = { operation: 'transcript', options: { mode: 'native' }, requests: [url] }
    const { batchId } = (await acme.post('/v1/batches', asked)).body
    const source = { type: 'channel', handle: 'somebody' }
    const { watchId } = (await acme.post('/v1/watches', { source, every: '1d' })).body
    await removal.close()
    await clock.advance(QUIET_MS)
    expect(await waitsFor()).to.contain('1 batches')
    const metadata = {
      orgId: acme.orgId,
      correlationId: batchId,
      causationId: batchId,
      traceparent: newTraceparent(false),
    }
    const proceeding = { type: 'proceed', now: clock.now(), ends: [], room: 0, waits: new Set<never>() } as const
    const stream = streams.batch(batchId)
    await handleCommand(ports, batch, { stream, command: proceeding, metadata, giveUpAt: Number.POSITIVE_INFINITY })
    await ingress.ledgers.execute(acme.orgId, { command: { type: 'release', batchId }, metadata }, { canWait: true })
    await removal.forget()
    for (const gone of [stream, streams.watch(watchId)])
      expect(await ingress.memory.isRemoved(gone), gone).to.equal(true)
    await clock.advance(100)
    expect(await documentsOf(acme.orgId)).to.deep.equal([])
  })

  it('finds a job that only the views know, because its ledger was truncated', async () => {
    const { ingress, clock, acme } = removal
    const jobId = await removal.endedJob()
    await ingress.memory.truncate(streams.credits(acme.orgId), (await acme.ledger()).length - 1)
    await removal.close()
    await clock.advance(QUIET_MS)
    await removal.forget()
    expect(await ingress.memory.isRemoved(streams.job(jobId))).to.equal(true)
  })

  it('names jobs that only an archive has, so that its files are rewritten', async () => {
    const { ingress, clock, acme, ports } = removal
    const archived = async (orgId: string) => (orgId === acme.orgId ? ['job-of-last-year'] : [])
    await removal.close()
    await clock.advance(QUIET_MS)
    await forgetOrganization({ ...ports, archived }, { orgId: acme.orgId, cause: 'test' })
    const decided = await ingress.memory.read(streams.removal(acme.orgId))
    expect(JSON.stringify(decided)).to.contain('job-of-last-year')
  })

  it('is completed after any interruption, by any process that repeats it, and decides nothing twice', async () => {
    const { ingress, clock, acme, ports } = removal
    for (let n = 0; n < 3; n++) await removal.endedJob()
    await removal.close()
    await clock.advance(QUIET_MS)
    let cuts = 0
    for (let writes = 0; ; writes++) {
      const error = await forgetOrganization(
        { ...ports, store: diesAfter(ingress.memory, writes) },
        { orgId: acme.orgId, cause: 'test' },
      ).then(
        () => undefined,
        (thrown: Error) => thrown,
      )
      if (error === undefined) break
      expect(error.message).to.contain('killed')
      cuts++
    }
    expect(cuts).to.be.above(6)
    const decided = await ingress.memory.read(streams.removal(acme.orgId))
    const named = decided.flatMap((event) => (event.type === 'StreamsRemoved' ? event.data.streams : []))
    expect(named.filter((stream) => stream.startsWith('job-'))).to.have.length(3)
    for (const stream of named) expect(await ingress.memory.isRemoved(stream), stream).to.equal(true)
  })
})

/** The same store, for a process that is killed at its next write after `writes` writes. */
function diesAfter(inner: EventStore, writes: number): EventStore {
  let left = writes
  const write = (): void => {
    // The store's answer, not an outage: so the write is not retried.
    if (left-- === 0) throw new InvalidEventError('the process', 'it is killed')
  }
  return new Proxy(inner, {
    get(target, name) {
      const value = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        if (name === 'remove' || name === 'append')
          return Promise.resolve()
            .then(write)
            .then(() => value.apply(target, args))
        return value.apply(target, args)
      }
    },
  })
}
