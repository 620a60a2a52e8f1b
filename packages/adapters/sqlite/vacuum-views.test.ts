import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { sampleViews as definition } from '#packages/ports/views-samples.contract.ts'
import { openBeside } from '#test/doubles/open-beside.ts'
import { fileOfEachTest } from '#test/doubles/temporary-directory.ts'
import { systemClock as clock } from '../system/clock.ts'
import { vacuum } from './vacuum.ts'
import { openSqliteViews } from './views.ts'

describe('a VACUUM of the views', () => {
  const at = fileOfEachTest('views.sqlite')

  const job = (n: number) => ({
    ...{ collection: 'jobs', id: `job-${n}`, position: n },
    fields: { status: 'queued', text: `${n}-`.repeat(500) },
  })

  it('does not disturb the processes that have them open, and write and verify them meanwhile', async () => {
    await using views = await openSqliteViews({ path: at.path, clock, definition })
    await views.begin()
    await views.makeReadable()
    const jobs = Array.from({ length: 2000 }, (_, n) => job(n + 1))
    await views.apply(jobs, { position: 2000, checkpoint: 2000 })
    const removals = jobs.slice(1).map(({ id }) => ({ collection: 'jobs', position: 2001, removes: { id } }))
    await views.apply(removals, { position: 2001, checkpoint: 2001 })
    let isDone = false
    const vacuuming = vacuum(at.path).finally(() => {
      isDone = true
    })
    let last = 2001
    let lookedAt = performance.now()
    for (; !isDone || last < 2010; last++) {
      await views.apply([{ ...job(1), position: last + 1 }], { position: last + 1, checkpoint: last + 1 })
      await sleep(5)
      // Looks as often as a projector does: a change is noted a moment after it was made.
      if (performance.now() < lookedAt + 1000) continue
      lookedAt = performance.now()
      await views.verify()
    }
    const outcome = await vacuuming
    expect(outcome).to.include({ kind: 'vacuumed' })
    if (outcome.kind === 'vacuumed') expect(outcome.bytesAfter).to.be.below(outcome.bytesBefore / 2)
    for (let looks = 0; looks < 3; looks++) await views.verify()
    expect((await views.get('jobs', 'job-1'))?.position).to.equal(last)
    expect(await views.checkpoint()).to.equal(last)
  })

  it('or another long transaction is waited for without blocking the event loop', async () => {
    const busyTimeoutMs = 20_000
    await using views = await openSqliteViews({ path: at.path, clock, definition, busyTimeoutMs })
    await views.begin()
    using other = openBeside(at.path)
    other.exec('BEGIN IMMEDIATE')
    let isApplied = false
    const applying = views.apply([job(1)], { position: 1, checkpoint: 1 }).then(() => {
      isApplied = true
    })
    const noted = views.putNote('note', { at: 1 })
    let longestMs = 0
    for (let n = 0; n < 20; n++) {
      const began = performance.now()
      await sleep(10)
      longestMs = Math.max(longestMs, performance.now() - began)
    }
    expect(isApplied).to.equal(false)
    other.exec('ROLLBACK')
    await Promise.all([applying, noted])
    expect(longestMs).to.be.below(busyTimeoutMs / 2)
    expect(await views.checkpoint()).to.equal(1)
  })
})
