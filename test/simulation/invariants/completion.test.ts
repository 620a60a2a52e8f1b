import { expect } from 'chai'
import { JobFixture, problem, results } from '#packages/domain/job/job.fixture.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import type { Ending } from '../videos.ts'
import { World } from '../world.ts'
import { noJobFailsNeedlessly } from './completion.ts'
import { historyOf } from './history.ts'

const url = 'https://cdn.example.com/1.mp4'

/** The findings of the check for a failed job on a video that can be read. */
function problemsOf(fixture: JobFixture, causationId = 'job-1/1/fetch/1'): string[] | Promise<string[]> {
  const world = new World(1, { keepsTrace: false, mutation: {} })
  const plan = { first: [], last: { ms: 100, type: 'result' } satisfies Ending }
  const plans = { fetch: plan, caption: plan, 'speech-to-text': plan, extract: plan }
  world.videos.set(url, { url, plans, talk: { first: [], last: { ms: 100, type: 'fits' } } })
  const events = fixture.events.map((event, revision) => {
    const metadata = { orgId: 'org-1', correlationId: 'job-1', causationId, traceparent: '' }
    return { ...event, id: `${revision}`, stream: 'job-job-1', revision, position: revision, metadata } as StoredEvent
  })
  return noJobFailsNeedlessly(historyOf(world, [], events))
}

/** Starts the due step `starts` times, each time without a result. The last failure ends the job. */
function failing(fixture: JobFixture, starts: number): JobFixture {
  for (let start = 1; start < starts; start++) fixture.start().fail(problem('upstream_error'), 0)
  return fixture.start().fail(problem('upstream_error', { transient: false }))
}

const fetching = () => new JobFixture({ url, mode: 'generate' })
const listening = () => fetching().start().succeed(results.fetched)

describe('a failure that is excused by the number of requests to a host', () => {
  it('is one at a step that asks a host, after six starts', async () => {
    expect(await problemsOf(failing(fetching(), 6))).to.deep.equal([])
  })

  it('is none before, none at a step of our own, and none that the orchestrator gave', async () => {
    expect(await problemsOf(failing(fetching(), 5))).to.have.length(1)
    expect(await problemsOf(failing(listening(), 6))).to.have.length(1)
    expect(await problemsOf(failing(fetching(), 6), 'orchestrator/job-1/1')).to.have.length(1)
  })
})
