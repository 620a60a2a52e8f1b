import { expect } from 'chai'
import { UnreachableError } from '#packages/ports/unreachable.ts'
import { endJob } from '#test/doubles/ingress/ended-job.ts'
import { openedForEach } from '#test/doubles/opened.ts'
import { EventSourceReader } from '#test/doubles/service/event-source-reader.ts'
import { until } from '#test/doubles/service/until.ts'
import { ACCOUNT, type StartedDashboard, startDashboard } from '../../dashboard.harness.ts'
import { servedForEach } from '../../served-dashboard.harness.ts'
import { jobEventRoutes } from './job-events.ts'

type Sent = { id?: number; event: string; data: unknown }

describe('the live timeline of a job', function () {
  this.timeout(60_000)
  let acme: Awaited<ReturnType<StartedDashboard['ingress']['org']>>
  let jobId: string
  let memberships: typeof ACCOUNT.memberships
  const who = async () => ({ account: { ...ACCOUNT, memberships } }) as never
  const dashboard = openedForEach(() =>
    startDashboard({ pages: (parts) => jobEventRoutes({ ...parts, sessions: { who } as never }) }),
  )

  beforeEach(async () => {
    acme = await dashboard.ingress.org('pro')
    memberships = [{ orgId: acme.orgId, role: 'owner', since: 1 }]
    jobId = (await acme.post('/v1/transcript', { url: 'https://cdn.example.com/film.mp4', mode: 'native' })).body.jobId
  })

  /** Opens the stream. `over` resolves when it has ended. */
  async function open({ query = '', lastEventId }: { query?: string; lastEventId?: string } = {}) {
    const path = `/org/${acme.orgId}/jobs/${jobId}/events${query}`
    const { answer } = await dashboard.ask({ orgId: acme.orgId, path, ...(lastEventId && { lastEventId }) })
    if (answer.type !== 'stream') throw new Error(`it is a ${answer.type}`)
    const sent: Sent[] = []
    const gone = new AbortController()
    const over = answer.run(async (event) => void sent.push(event), gone.signal)
    return { sent, over, leave: () => gone.abort() }
  }

  it('sends past events, new events and the end', async () => {
    const { sent, over } = await open()
    await until('the first event comes', async () => sent.length > 0)
    await endJob(dashboard.ingress, jobId, { segments: [] })
    await over
    const entries = sent.map(({ event, data }) => [event, (data as { type?: string }).type])
    expect(entries[0]).to.deep.equal(['told', 'accepted'])
    expect(entries.slice(-3)).to.deep.equal([
      ['told', 'completed'],
      ['told', 'credits_settled'],
      ['end', undefined],
    ])
  })

  it('continues after the last event that the browser has, whatever its address says', async () => {
    await endJob(dashboard.ingress, jobId, { segments: [] })
    const whole = await open()
    await whole.over
    const [first, second] = whole.sent
    const rest = await open({ query: `?after=${second?.id}`, lastEventId: String(first?.id) })
    await rest.over
    expect(rest.sent).to.deep.equal(whole.sent.slice(1))
  })

  it('ends soon after the person is no longer a member, or disconnects', async () => {
    const ended = await open()
    const left = await open()
    memberships = []
    await ended.over
    left.leave()
    await left.over
    expect(ended.sent.map(({ event }) => event)).to.not.include('end')
  })

  it('logs that it broke off, and frees its place for the next', async () => {
    const { store } = dashboard.ingress
    const read = store.read.bind(store)
    for (let n = 0; n < 12; n++) {
      const stream = await open()
      store.read = () => Promise.reject(new UnreachableError('the event store', undefined))
      await stream.over
      store.read = read
    }
    const lines = dashboard.ingress.lines.filter(({ msg }) => msg === 'a stream of events broke off')
    expect(lines).to.have.length(12)
  })

  it('is hidden from other organizations', async () => {
    acme = await dashboard.ingress.org('pro')
    const error = await open().catch((thrown: { code: string }) => thrown)
    expect(error).to.include({ code: 'not_found' })
  })
})

describe('the live timeline of a job over HTTP', function () {
  this.timeout(60_000)
  // Longer than any test waits: if a test depends on this time, it times out first.
  const { dashboard, ada } = servedForEach({ server: { drainMs: 300_000 } })
  let path: string
  beforeEach(async () => {
    const asked = { url: 'https://cdn.example.com/film.mp4', mode: 'native' }
    const { body } = await dashboard.ingress.call('POST', '/v1/transcript', { key: ada.key, json: asked })
    path = `/dashboard/org/${ada.orgId}/jobs/${body.jobId}/events`
  })

  const ask = (): Promise<EventSourceReader> => {
    const { cookie } = ada
    return EventSourceReader.open(dashboard.ingress.base + path, { cookie })
  }
  async function open(): Promise<EventSourceReader> {
    const reader = await ask()
    await until('the first event comes', async () => reader.events.length > 0)
    return reader
  }
  const isOver = async (reader: EventSourceReader): Promise<void> => {
    await until('the stream is over', async () => reader.isOver)
    expect(reader.events.map(({ event }) => event)).to.deep.equal(['told'])
  }

  it('is not buffered by proxies, and ends soon after its session', async () => {
    const reader = await open()
    expect(reader.headers.get('content-type')).to.equal('text/event-stream; charset=utf-8')
    expect(reader.headers.get('cache-control')).to.contain('no-transform')
    await ada.post('/sign-out')
    await isOver(reader)
  })

  it('ends when the server closes, without delaying that', async () => {
    const reader = await open()
    const closed = dashboard.ingress.close()
    await isOver(reader)
    await closed
  })

  it('is refused beyond the limit of one session, until another one ends', async () => {
    const readers = await Promise.all(Array.from({ length: 10 }, open))
    expect((await ask()).status).to.equal(429)
    readers[0]?.close()
    const reader = await until('there is room again', async () => {
      const next = await ask()
      return next.status === 200 && next
    })
    for (const one of [...readers, reader]) one.close()
  })
})
