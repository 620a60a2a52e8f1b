import { expect } from 'chai'
import { results } from '#packages/domain/job/job.fixture.ts'
import { metadataOf } from '#packages/events/store/key-commands.fixture.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import { streams } from '#packages/ports/ids.ts'
import { plainRequest, withoutKey } from '#test/doubles/ingress/application.ts'
import { appendToJob, endJob, type JobEnd, settleJob } from '#test/doubles/ingress/ended-job.ts'
import { openedForAll } from '#test/doubles/opened.ts'
import { until } from '#test/doubles/service/until.ts'
import { loseViews, type StartedDashboard, startDashboard } from '../../dashboard.harness.ts'
import type { Answer } from '../../route.ts'
import { jobFileRoutes } from './job-files.ts'
import { jobRoutes } from './job-routes.tsx'
import { jobListRoutes } from './list.tsx'
import { thumbnailRoutes } from './thumbnails.tsx'

const FILM = 'https://cdn.example.com/film.mp4'
const VIDEO = 'https://www.youtube.com/watch?v=jNQXAC9IVRw'
const segments = [
  { start: 0, end: 2, text: 'Welcome home.' },
  { start: 75.5, end: 78, text: 'Good night.' },
]

describe('jobs on pages', () => {
  let acme: Awaited<ReturnType<StartedDashboard['ingress']['org']>>
  let list: string

  const dashboard = openedForAll(() =>
    startDashboard({
      pages: (parts, options) => [
        ...jobListRoutes(parts, options),
        ...jobRoutes(parts, options),
        ...jobFileRoutes(parts),
        ...thumbnailRoutes(parts),
      ],
      thumbnails: { of: async ({ url }) => Buffer.from(`the picture at ${url}`) },
      options: { upgradeUrl: 'https://example.com/plans' },
    }),
  )
  beforeEach(async () => {
    acme = await dashboard.ingress.org('pro')
    list = `/org/${acme.orgId}/jobs`
  })

  const post = async (body: object = { url: FILM, mode: 'native' }): Promise<string> =>
    (await acme.post('/v1/transcript', body)).body.jobId
  /** Accepts an extraction without `/v1`, because the ingress of a test has no language model. */
  const extraction = async (prompt: string): Promise<string> => {
    const request = { ...plainRequest, kind: 'extraction', url: VIDEO, prompt } as const
    return (await dashboard.ingress.shared.acceptance.accept({ ...withoutKey(acme.orgId), request })).jobId
  }
  const end = (jobId: string, how: JobEnd) => endJob(dashboard.ingress, jobId, how)
  const done = async (how: JobEnd, body?: object): Promise<string> => {
    const jobId = await post(body)
    await end(jobId, how)
    return jobId
  }
  const ask = (path: string, form?: Record<string, string>) =>
    dashboard.ask({ orgId: acme.orgId, path, ...(form && { form }) })
  /** The ids of the listed jobs. */
  const ids = async (query: string): Promise<string[]> =>
    [...(await ask(`${list}?${query}`)).html.matchAll(/jobs\/([0-9a-f-]{36})"/g)].map(([, id]) => id ?? '')
  const shows = (path: string, words: string) => dashboard.askUntil({ orgId: acme.orgId, path }, words)
  const refusal = (path: string, form?: Record<string, string>): Promise<ServiceError> =>
    ask(path, form).then(
      () => Promise.reject(new Error('it was answered')),
      (error) => (error instanceof ServiceError ? error : Promise.reject(error)),
    )
  const bodyOf = ({ answer }: { answer: Answer }): string => (answer.type === 'download' ? answer.body : '')

  describe('in a list', () => {
    it('are found by any spelling of their URL, by state and by day, and the filters remain', async () => {
      const good = await done({ segments, seconds: 75 }, { url: VIDEO, mode: 'native' })
      const bad = await done({ code: 'no_speech', message: 'No speech was found in the video.' })
      await shows(list, 'No speech was found in the video.')
      expect(await ids('')).to.deep.equal([bad, good])
      expect(await ids('q=youtu.be/jNQXAC9IVRw?si=abc')).to.deep.equal([good])
      expect(await ids('status=failed&kind=transcript&platform=direct')).to.deep.equal([bad])
      expect(await ids(`key=${acme.keyId}`)).to.deep.equal([bad, good])
      expect(await ids('key=another')).to.deep.equal([])
      expect(await ids('surface=api')).to.deep.equal([bad, good])
      expect(await ids('surface=mcp')).to.deep.equal([])
      expect(await ids('domain=youtube.com')).to.deep.equal([good])
      const today = new Date(dashboard.clock.now()).toISOString().slice(0, 10)
      expect(await ids(`from=${today}&to=${today}`)).to.deep.equal([bad, good])
      expect(await ids('to=2020-01-01')).to.deep.equal([])
      expect((await ask(list)).html, 'keys with the same name differ').to.match(/first key \(ma_\w+…\w{4}\)</)
      expect((await ask(`${list}?status=failed`)).html).to.match(/<option (selected )?value="failed"( selected)?>/)
      const { text } = await ask(list)
      expect(text).to.contain('YouTube · 1:15 · English').and.to.contain('Transcript captions only Completed')
    })

    it('show the titles of their videos, and are found by words of title or author, or by ID', async () => {
      const zoo = await done({ segments, seconds: 19, title: 'Me at the Zoo', author: 'Jawed Çelik' })
      const other = await done({ segments, seconds: 20, title: 'Another film' })
      expect((await shows(list, 'Me at the Zoo')).text).to.contain('Jawed Çelik')
      const found = (words: string) => ids(`q=${encodeURIComponent(words)}`)
      expect(await found('zoo')).to.deep.equal([zoo])
      expect(await found('celik  ZOO')).to.deep.equal([zoo])
      expect(await found('film')).to.deep.equal([other])
      expect(await found('zoo film')).to.deep.equal([])
      const { answer } = await ask(`${list}?q=${zoo.toUpperCase()}`)
      expect(answer).to.deep.include({ type: 'redirect', to: `${list}/${zoo}` })
    })

    it('have a small picture of their video, at one address a day that works until the end of the next', async () => {
      const thumbnail = 'https://i.example.com/a.jpg?b=1&c=2'
      const jobId = await done({ segments, seconds: 19, title: 'A film', thumbnail })
      await done({ segments, seconds: 20, title: 'One without', thumbnail: 'javascript:alert(1)' })
      const { html } = await shows(list, 'One without')
      const sources = ({ html }: { html: string }): string[] =>
        [...html.matchAll(/<img src="\/dashboard([^"]*)" alt width="320" height="180" loading="lazy"/g)].map(
          ([, src]) => src?.replaceAll('&amp;', '&') ?? '',
        )
      expect(html.match(/class="thumbnail"/g)).to.have.length(2)
      const [path = '', ...more] = sources({ html })
      expect(more).to.deep.equal([])
      expect(sources(await ask(`${list}/${jobId}`))).to.deep.equal([path])
      const { answer } = await ask(path)
      expect(answer).to.deep.equal({
        type: 'picture',
        jpeg: Buffer.from(`the picture at ${thumbnail}`),
        maxAgeSeconds: 86_400,
      })
      const day = 24 * 60 * 60 * 1000
      dashboard.clock.move(day)
      expect((await ask(path)).answer.type).to.equal('picture')
      expect(sources(await ask(list))).to.not.deep.equal([path])
      dashboard.clock.move(day)
      expect((await refusal(path)).code).to.equal('not_found')
    })

    it('are searched page by page: matches that do not fit on one page come on the next', async () => {
      const ids: string[] = []
      for (let n = 0; n < 26; n++) ids.unshift(await done({ segments, seconds: 1, title: n < 5 ? 'Rare' : 'Common' }))
      const { html } = await shows(`${list}?q=common`, 'Older jobs')
      expect(html.match(/class="row-link"/g)).to.have.length(20)
      const { text } = await ask(`${list}?q=rare`)
      expect(text.match(/Rare/g)).to.have.length(5)
      expect(text).to.not.contain('Older jobs')
    })

    it('come in pages, which update only while one of their jobs runs', async () => {
      const open = await post()
      for (let n = 0; n < 26; n++) await done({ segments })
      const { html } = await shows(list, 'Older jobs')
      expect(html).to.not.contain('data-island="live"')
      const next = /href="\/dashboard([^"]*cursor=[^"]*)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? ''
      const older = await ask(next)
      expect(older.html).to.contain('data-island="live"').and.to.contain(open)
      expect(older.text).to.contain('Newest jobs').and.to.not.contain('Older jobs')
    })

    it('explain what to do if there are none, if none match, or if the search is not a video', async () => {
      expect((await ask(list)).text)
        .to.contain('No jobs yet')
        .and.to.contain('Get your first transcript')
      expect((await ask(`${list}?status=failed`)).text).to.contain('No matching jobs')
      const wrong = await ask(`${list}?q=https://localhost/a.mp4`)
      expect(wrong.answer).to.include({ status: 400 })
      expect(wrong.html).to.contain('value="https://localhost/a.mp4"')
      expect(wrong.text).to.contain('The URL must be public')
    })

    it('report that they cannot be shown while the views are unavailable, and the rest of the page works', async () => {
      using _lost = loseViews(dashboard.ingress)
      expect((await ask(list)).text)
        .to.contain('Your jobs cannot be shown')
        .and.to.contain('URL or job ID')
    })
  })

  describe('one by one', () => {
    it('link to the job that made their reused result', async () => {
      const source = await done({ segments }, { url: VIDEO, mode: 'native' })
      await shows(`${list}?status=completed`, 'captions only')
      const reused = await post({ url: VIDEO, mode: 'native', reuse: true })
      const { html, text } = await shows(`${list}/${reused}`, 'Reused from')
      expect(text).to.contain('An earlier job')
      expect(html).to.contain(`href="/dashboard${list}/${source}"`)
    })

    it('show a transcript with links to moments in the video, and find words in it', async () => {
      const jobId = await done({ segments }, { url: VIDEO, mode: 'native' })
      const { text, html } = await shows(`${list}/${jobId}`, 'Welcome home.')
      expect(html).to.contain('id="t=75.5"').and.to.contain('href="#t=75.5"').and.to.contain(`${VIDEO}&amp;t=75s`)
      expect(text).to.contain('2 segments, 4 words').and.to.contain('first key')
      const found = await ask(`${list}/${jobId}?find=NIGHT`)
      expect(found.html).to.contain('<mark>night</mark>').and.to.not.contain('Welcome')
      expect(found.text).to.contain('1 of 2 segments match.')
    })

    it('show their ledger entries, and advice if they failed', async () => {
      const jobId = await done({ code: 'no_speech', message: 'Nobody speaks.' })
      const { text } = await shows(`${list}/${jobId}`, 'Refunded')
      expect(text).to.contain('Nobody speaks.').and.to.contain('An extraction also looks at the pictures.')
      expect(text).to.match(/Held −1 [\d,]+ Refunded \+1 [\d,]+/)
      expect(text).to.contain('0 charged').and.to.contain('no_speech')
    })

    it('have pages of at most 60 kB, however long the result is', async () => {
      const text = 'and so on & so forth, as <they> "say" <&<&<&'
      const long = Array.from({ length: 5000 }, (_, n) => ({ start: n * 2, end: n * 2 + 2, text }))
      const spoken = await shows(
        `${list}/${await done({ segments: long }, { url: VIDEO, mode: 'native' })}`,
        'Part 1 of',
      )
      expect(spoken.html.length).to.be.within(20_000, 54_000)
      expect(spoken.text).to.contain('Next part')
      const deep = (depth: number): unknown => (depth === 0 ? 'deep' : { [`level ${depth}`]: deep(depth - 1) })
      const extracted = {
        deep: deep(60),
        list: Array.from({ length: 3000 }, (_, n) => ({ n, text })),
        long: text.repeat(2000),
      }
      const jobId = await extraction('Everything. '.repeat(900))
      await end(jobId, { extracted })
      const tree = await shows(`${list}/${jobId}`, '3 fields')
      expect(tree.html.length).to.be.within(5000, 54_000)
      expect(tree.text).to.contain('the file has the rest').and.to.contain('The whole request as JSON')
    })

    it('begin again with the same request, once however often the form is sent, and without a key', async () => {
      const jobId = await done({ code: 'no_speech' }, { url: VIDEO, mode: 'native', lang: 'de', strictLang: true })
      const { html } = await ask(`${list}/${jobId}`)
      const once = /name="once" value="([^"]+)"/.exec(html)?.[1] ?? ''
      const made = await Promise.all([ask(`${list}/${jobId}/again`, { once }), ask(`${list}/${jobId}/again`, { once })])
      const [to, other] = made.map(({ answer }) => (answer.type === 'redirect' ? answer.to : ''))
      expect(other).to.equal(to)
      const [first] = await dashboard.ingress.memory.read(streams.job(to?.split('/').at(-1) ?? ''))
      const [before] = await dashboard.ingress.memory.read(streams.job(jobId))
      if (first?.type !== 'JobRequested' || before?.type !== 'JobRequested') throw new Error('no request')
      const { idempotencyKeyHash, ...request } = before.data
      expect(first.data).to.deep.include({ ...request, keyId: null, surface: 'dashboard' })
      expect(first.data.idempotencyKeyHash).to.not.equal(idempotencyKeyHash)
      expect((await ask(to ?? '')).text)
        .to.match(/Requested by\s*Dashboard/)
        .and.to.contain('Cancel')
    })

    it('explain how to get credits if there are too few to begin again', async () => {
      acme = await dashboard.ingress.org('free')
      list = `/org/${acme.orgId}/jobs`
      const prompts = ['one', 'two', 'three', 'four', 'five']
      const [first] = await Promise.all(prompts.map((prompt) => extraction(prompt)))
      const { answer, text } = await ask(`${list}/${first}/again`, {})
      expect(answer).to.include({ status: 403 })
      expect(text).to.contain('Upgrade your plan')
    })

    it('can be cancelled, and do not change after they have ended', async () => {
      const jobId = await post()
      const ended = await done({ segments })
      const cancelling = ask(`${list}/${jobId}/cancel`, {})
      const last = await until('the job has ended', async () => {
        const stored = await dashboard.ingress.memory.read(streams.job(jobId))
        return stored.at(-1)?.type === 'JobFailed' && stored.at(-1)
      })
      expect(last).to.have.nested.include({ 'data.code': 'cancelled' })
      await settleJob(dashboard.ingress, jobId, 0)
      expect((await cancelling).answer).to.include({ notice: 'job-cancelled' })
      const [requested] = await dashboard.ingress.memory.read(streams.job(jobId))
      expect(dashboard.followed).to.deep.equal([{ jobId, traceparent: requested?.metadata.traceparent }])
      expect((await ask(`${list}/${ended}/cancel`, {})).answer).to.include({ notice: 'job-ended-before' })
    })

    it('can be deleted with everything shown of them after they have ended, and not before', async () => {
      const jobId = await post()
      expect((await ask(`${list}/${jobId}`)).html).to.not.contain('Delete content')
      expect((await refusal(`${list}/${jobId}/delete`, {})).code).to.equal('job_not_ended')
      await end(jobId, { segments })
      const { html } = await shows(`${list}/${jobId}`, 'Delete content')
      expect(html, 'it is asked twice').to.match(/<details class="ask">.*\/delete"/s)
      expect((await ask(`${list}/${jobId}/delete`, {})).answer).to.include({ to: list, notice: 'content-deleted' })
      for (const rest of ['', '/transcript.txt', '/request.json'])
        expect((await refusal(`${list}/${jobId}${rest}`)).code, rest).to.equal('not_found')
      expect((await ask(list)).html).to.not.contain(jobId)
    })

    it('can be saved in every file format of their kind, and in no other', async () => {
      const jobId = await done({ segments })
      const path = `${list}/${jobId}`
      await shows(path, 'Welcome home.')
      expect(bodyOf(await ask(`${path}/transcript.srt`))).to.contain('00:01:15,500 --> 00:01:18,000\nGood night.')
      expect(bodyOf(await ask(`${path}/transcript.vtt`))).to.match(/^WEBVTT\n/)
      expect(bodyOf(await ask(`${path}/transcript.txt`))).to.equal('Welcome home. Good night.\n')
      expect(JSON.parse(bodyOf(await ask(`${path}/transcript.json`)))).to.deep.include({ segments, language: 'en' })
      expect((await refusal(`${path}/extraction.json`)).code).to.equal('not_found')
      const file = (await ask(`${path}/transcript.txt`)).answer
      expect(file).to.include({ name: `${jobId}-transcript.txt` })
    })

    it('are visible only to members of their organization', async () => {
      const jobId = await done({ segments })
      acme = await dashboard.ingress.org('pro')
      for (const rest of ['', '/transcript.json', '/request.json'])
        expect((await refusal(`/org/${acme.orgId}/jobs/${jobId}${rest}`)).code, rest).to.equal('not_found')
      for (const rest of ['/cancel', '/delete', '/again'])
        expect((await refusal(`/org/${acme.orgId}/jobs/${jobId}${rest}`, {})).code, rest).to.equal('not_found')
      expect((await refusal(`/org/${acme.orgId}/jobs/nonsense`)).code).to.equal('not_found')
    })

    it('report that they were never accepted, and then cannot be begun again', async () => {
      const jobId = crypto.randomUUID()
      const { orgId } = acme
      const data = { orgId, kind: 'transcript', code: 'not_accepted', message: 'Given up.', used: null } as const
      const refused = { type: 'JobFailed', data, id: crypto.randomUUID(), metadata: metadataOf(orgId) } as const
      await dashboard.ingress.memory.append(streams.job(jobId), 'no-stream', [refused])
      expect((await refusal(`${list}/${jobId}`)).code, 'its end is not shown yet').to.equal('not_found')
      dashboard.clock.move(60_000)
      const { text } = await shows(`${list}/${jobId}`, 'Failed')
      expect(text).to.contain('A job that was not accepted').and.to.contain('Given up.')
      expect(text).to.not.contain('Run again')
      expect((await refusal(`${list}/${jobId}/again`, {})).code).to.equal('not_found')
    })

    it('show the title of their video and their timeline while they run', async () => {
      const jobId = await post()
      const worker = { step: 'fetch', attempt: 1, worker: 'w', leaseSeconds: 30 } as const
      await appendToJob(dashboard.ingress, jobId, { type: 'StepStarted', data: worker }, results.fetched)
      const { text, html } = await ask(`${list}/${jobId}`)
      expect(text)
        .to.match(/^All jobs A talk Cancel/)
        .and.to.contain('Waiting for a free worker')
      expect(html).to.contain('data-island="job"').and.to.contain(`/dashboard${list}/${jobId}/events`)
    })
  })
})
