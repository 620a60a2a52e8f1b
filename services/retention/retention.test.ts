import { expect } from 'chai'
import { startRemoval, url } from '#packages/history/removal/removal.harness.ts'
import { streams } from '#packages/ports/ids.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import { keptLog } from '#test/doubles/kept-log.ts'
import { settle } from '#test/doubles/manual-clock.ts'
import { madeForEach, openedForEach } from '#test/doubles/opened.ts'
import { RecordingTelemetry } from '#test/doubles/telemetry.ts'
import { PROGRESS_NOTE, type Progress, Retention } from './retention.ts'

describe('the retention service', () => {
  const removal = openedForEach(() => startRemoval())
  const started = openedForEach(() => new AsyncDisposableStack())
  const telemetry = madeForEach(() => new RecordingTelemetry())

  /** Starts the service with the note of an earlier run. @returns a function that stops it */
  const start = async (): Promise<() => Promise<void>> => {
    const retention = new Retention({ ...removal.ports, log: keptLog().log, telemetry })
    const end = new AbortController()
    const running = retention.run(end.signal)
    const stop = async () => {
      end.abort()
      await running
    }
    started.defer(stop)
    await retention.ready
    return stop
  }
  /** Decides to forget a job, then crashes. */
  const decided = async (): Promise<string> => {
    const jobId = await removal.endedJob()
    await removal.decide(jobId)
    return jobId
  }
  const isGone = (jobId: string): Promise<boolean> => removal.ingress.memory.isRemoved(streams.job(jobId))
  const progress = async () =>
    (await removal.ingress.views.getNotes<Progress>([PROGRESS_NOTE])).get(PROGRESS_NOTE) ?? expect.fail('no note')

  it('finishes what a crash interrupted before it is ready, and drops what was cached for it', async () => {
    const jobId = await decided()
    await start()
    expect(await isGone(jobId)).to.equal(true)
    const attributes = { [names.removalReason]: 'forgotten' }
    expect(telemetry.valuesOf(metrics.streamsRemoved)).to.deep.equal([{ value: 1, attributes }])
    expect(removal.dropped).to.deep.equal([url])
  })

  it('carries out decisions made while it runs, also after the store was unavailable for a while', async () => {
    await start()
    const { store } = removal.ingress
    const remove = store.remove.bind(store)
    store.remove = () => Promise.reject(new Error('away'))
    const jobId = await decided()
    await removal.clock.advance(3000)
    expect(await isGone(jobId)).to.equal(false)
    store.remove = remove
    await removal.clock.advance(1000)
    expect(await isGone(jobId)).to.equal(true)
  })

  it('resumes after its checkpoint, or from the beginning if the views have lost it', async () => {
    const first = await decided()
    const stop = await start()
    await removal.clock.advance(1000)
    const [event] = await removal.ingress.memory.read(streams.removal(first))
    expect((await progress()).checkpoint).to.be.at.least(event?.position ?? Number.POSITIVE_INFINITY)
    await stop()
    const from: number[] = []
    const { store } = removal.ingress
    const follow = store.follow.bind(store)
    store.follow = (options) => {
      from.push(options.after)
      return follow(options)
    }
    const kept = await progress()
    await (await start())()
    await removal.ingress.views.putNote(PROGRESS_NOTE, { checkpoint: 0, organizations: [] })
    await start()
    expect(from).to.deep.equal([kept.checkpoint, 0])
  })

  it('forgets a closed organization as soon as it may, also if it was stopped in between', async () => {
    const { clock, acme, ingress } = removal
    const jobId = await removal.endedJob()
    await removal.close()
    const stop = await start()
    await clock.advance(2000)
    expect([await isGone(jobId), (await progress()).organizations]).to.deep.equal([false, [acme.orgId]])
    await stop()
    await start()
    await clock.advance(10_000)
    await settle()
    expect([await isGone(jobId), (await progress()).organizations]).to.deep.equal([true, []])
    for (const stream of [streams.credits(acme.orgId), streams.organization(acme.orgId), streams.key(acme.keyId)])
      expect(await ingress.memory.isRemoved(stream), stream).to.equal(true)
  })
})
