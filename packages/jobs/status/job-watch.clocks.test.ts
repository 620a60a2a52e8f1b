import { expect } from 'chai'
import { endJob } from '#test/doubles/ingress/ended-job.ts'
import { startIngress } from '#test/doubles/ingress/started-ingress.ts'
import { ManualClock } from '#test/doubles/manual-clock.ts'
import { JobWatch } from './job-watch.ts'

describe('polling a job with a clock that is behind', () => {
  it('does not take back an end from the events if the views are readable again and lack it', async () => {
    const clock = new ManualClock()
    await using ingress = await startIngress({ clock, projected: false })
    const acme = await ingress.org()
    const { jobId } = (await acme.post('/v1/transcript', { url: 'https://cdn.example.com/film.mp4', mode: 'native' }))
      .body
    const behind = { now: () => clock.now() - 8000, sleep: clock.sleep.bind(clock) }
    const watch = new JobWatch({ ...ingress, store: ingress.memory, clock: behind })
    const status = async () => (await watch.see({ jobId, orgId: acme.orgId, kind: 'transcript' }))?.status
    const makeReadable = (isReadable: boolean) => Object.assign(ingress.documents.state ?? {}, { isReadable })
    makeReadable(false)
    await endJob(ingress, jobId, { segments: [] })
    expect(await status()).to.equal('completed')
    makeReadable(true)
    // The 10 s in which events are read for every job are over, and this job is 3 s old.
    await clock.advance(11_000)
    expect(await status()).to.equal('completed')
  })
})
