import { expect } from 'chai'
import { systemIds } from '#packages/adapters/system/ids.ts'
import { batch } from '#packages/domain/batch/batch.ts'
import type { ItemEnd } from '#packages/domain/batch/proceed.ts'
import type { Plan } from '#packages/domain/credits/plans.ts'
import { handleCommand } from '#packages/events/store/handle-command.ts'
import { itemJobIdOf, streams } from '#packages/ports/ids.ts'
import { newTraceparent } from '#packages/telemetry/traceparent.ts'
import { withoutKey } from '#test/doubles/ingress/application.ts'
import { endJob } from '#test/doubles/ingress/ended-job.ts'
import { startSection } from '../../dashboard.harness.ts'
import { jobRoutes } from '../jobs/job-routes.tsx'
import { jobListRoutes } from '../jobs/list.tsx'
import { batchFileRoutes } from './batch-files.ts'
import { batchRoutes } from './batch-routes.tsx'
import { batchesRoutes } from './batches.tsx'
import { newBatchRoutes } from './new-batch.tsx'

const url = (n: number): string => `https://cdn.example.com/${n}.mp4`
const typed = (lines: readonly string[], more: Record<string, string> = {}) => ({
  job: 'transcript',
  from: 'list',
  urls: lines.join('\r\n'),
  ...more,
})

/** The hidden fields of the page. */
const hiddenIn = (html: string): Record<string, string> =>
  Object.fromEntries(
    [...html.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  )

async function batches(plan: Plan = 'free') {
  const section = await startSection('batches', {
    plan,
    pages: (parts, options) => [
      ...batchesRoutes(parts, options),
      ...newBatchRoutes(parts, options),
      ...batchRoutes(parts, options),
      ...batchFileRoutes(parts),
      ...jobListRoutes(parts, options),
      ...jobRoutes(parts, options),
    ],
  })
  const { ingress, orgId, list, ask, clock } = section
  const ports = { store: ingress.store, clock, ids: systemIds }
  const { batches } = ingress.shared
  const all = async () => (await batches.list(orgId, { limit: 100 })).batches
  return {
    ...section,
    all,
    batches,
    /** Sends the form, and then the button of the page that shows its cost. */
    async begin(form: Record<string, string>) {
      const { html } = await ask(`${list}/new`, form)
      await ask(`${list}/new`, { ...form, ...hiddenIn(html), act: 'begin' })
      const [made] = await all()
      return `${list}/${made?.batchId}`
    },
    /** Does the work of the batches' owner: ends some items, and lets the batch continue. */
    async proceed(ends: ItemEnd[], room = 0) {
      const batchId = (await all())[0]?.batchId ?? ''
      const metadata = { orgId, correlationId: batchId, causationId: 'test', traceparent: newTraceparent(false) }
      const command = { type: 'proceed', now: ports.clock.now(), ends, room, waits: new Set<never>() } as const
      const handling = { stream: streams.batch(batchId), command, metadata, giveUpAt: ports.clock.now() + 1000 }
      await handleCommand(ports, batch, handling)
    },
    /** Requests the job of the first video, as the owner does. */
    async jobOfFirst() {
      const batchId = (await all())[0]?.batchId ?? ''
      const { request, items } = await batches.read(orgId, batchId)
      const jobId = itemJobIdOf(batchId, { item: 0, attempt: 1 })
      await ingress.shared.acceptance.accept({
        ...withoutKey(orgId),
        request: { ...request, url: items[0]?.url ?? '' },
        surface: 'batch',
        part: { jobId, batch: { batchId, item: 0, isTold: false } },
      })
      return jobId
    },
    async file(path: string) {
      const { answer } = await ask(path)
      if (answer.type !== 'file') throw new Error(`${path} is no file`)
      return (await Array.fromAsync(answer.parts)).map(String).join('')
    },
  }
}

describe('the pages of batches', () => {
  it('explain what a batch is if there is none, and link to the form', async () => {
    await using page = await batches()
    const { text, html } = await page.ask()
    expect(text).to.include('No batches yet').and.include('runs one operation on many videos')
    expect(html).to.include(`${page.list}/new`)
  })

  it('show what a list costs before anything is held: distinct videos, highest price, credits', async () => {
    await using page = await batches()
    const { text } = await page.ask(`${page.list}/new`, typed([url(1), '', url(2), url(1)]))
    expect(text).to.include('2 videos, 1 duplicates, processed and charged once')
    expect(text).to.match(/Each 5 credits at most Held at the start 10 credits You have 50 credits .*40 credits/)
    expect(await page.all()).to.deep.equal([])
    const cheap = await page.ask(`${page.list}/new`, typed([url(1), url(2)], { mode: 'native', maxCredits: '1' }))
    expect(cheap.text).to.include('Held at the start 1 credit').and.include('cover 1 video at that price')
  })

  it('begin once, however often the button is pressed, and show the cost again if the form has changed', async () => {
    await using page = await batches()
    const form = typed([url(1), url(2)])
    const shown = hiddenIn((await page.ask(`${page.list}/new`, form)).html)
    const changed = await page.ask(`${page.list}/new`, { ...form, ...shown, act: 'begin', mode: 'native' })
    expect(changed.text).to.include('Something changed').and.include('Held at the start 2 credits')
    expect(await page.all()).to.deep.equal([])
    const begun = [1, 2].map(() => page.ask(`${page.list}/new`, { ...form, ...shown, act: 'begin' }))
    const answers = (await Promise.all(begun)).map(({ answer }) => answer)
    const [made, ...more] = await page.all()
    expect(more).to.deep.equal([])
    for (const answer of answers)
      expect(answer).to.include({ to: `${page.list}/${made?.batchId}`, notice: 'batch-begun' })
    expect(await page.batches.get(page.orgId, made?.batchId ?? '')).to.deep.include({
      items: 2,
      credits: { held: 10, charged: 0, returned: 0 },
    })
  })

  it('name every invalid line, and omit all of them with one button', async () => {
    await using page = await batches()
    const form = typed([url(1), 'not a URL', '', 'ftp://example.com/<b>'])
    const refused = await page.ask(`${page.list}/new`, form)
    expect(refused.answer).to.include({ status: 400 })
    expect(refused.text).to.match(
      /2 lines are not video URLs.*Line 2 not a URL ?: .*Line 4 ftp:\/\/example\.com\/<b> ?: /,
    )
    expect(refused.html).to.include('name="skipInvalid" value="true"').and.include(url(1)).and.not.include('/<b>')
    const { text } = await page.ask(`${page.list}/new`, { ...form, skipInvalid: 'true' })
    expect(text).to.include('1 video, 2 invalid lines skipped')
  })

  it('accept a table or NDJSON as it is, and number the lines as the file does', async () => {
    await using page = await batches()
    const wrongIn = async (lines: string[]) => (await page.ask(`${page.list}/new`, typed(lines))).text
    expect(await wrongIn(['title,url', `"One, two",${url(1)}`, 'three,nowhere'])).to.match(/1 line .*Line 3 /)
    expect(await wrongIn([`{"url":"${url(1)}"}`, '"nowhere"'])).to.match(/1 line .*Line 2 /)
    expect(await wrongIn([`{"url":"${url(1)}"}`, JSON.stringify(url(2))])).to.include('2 videos')
  })

  it('explain what is missing: credits required and remaining, room in the plan, fields by name', async () => {
    await using page = await batches()
    const elevenVideos = Array.from({ length: 11 }, (_, n) => url(n))
    const short = await page.ask(`${page.list}/new`, typed(elevenVideos))
    expect(short.text).to.include('It takes 55 credits, and 50 are left.')
    expect(short.html).to.not.include('value="begin"')
    const many = await page.ask(`${page.list}/new`, typed(Array.from({ length: 21 }, (_, n) => url(n))))
    expect(many.answer).to.include({ status: 403 })
    expect(many.text).to.include('This plan allows 20 items in a batch')
    expect((await page.ask(`${page.list}/new`, typed([]))).text).to.include('URLs are required')
    const wrong = await page.ask(`${page.list}/new`, typed([url(1)], { job: 'extraction', schema: '{' }))
    expect(wrong.text).to.include('JSON Schema must be JSON')
    const lang = await page.ask(`${page.list}/new`, typed([url(1)], { lang: '?' }))
    expect(lang.text).to.include('Language must')
  })

  it('accept a source like the form for watches does, with a limit and a day', async () => {
    await using page = await batches('starter')
    const source = { from: 'source', source: '@SandboxRich', limit: '30', since: '2026-11-01' }
    const { text } = await page.ask(`${page.list}/new`, typed([], source))
    expect(text).to.include('30 of @sandboxrich (videos) at most').and.include('150 credits')
    const own = await page.begin(typed([], source))
    const [made] = await page.all()
    const known = await page.batches.get(page.orgId, made?.batchId ?? '')
    expect(known).to.deep.include({ limit: 30, since: '2026-11-01T00:00:00.000Z' })
    expect((await page.ask(own)).text).to.include('Still reading the source')
    const nothing = await page.ask(`${page.list}/new`, typed([], { ...source, source: '' }))
    expect(nothing.text).to.include('Source is required')
  })

  it('follow one until it has results: counts by state, credits, each video’s job and its failure', async () => {
    await using page = await batches()
    const own = await page.begin(typed([url(1), url(2), url(3)]))
    await page.proceed([], 3)
    await page.proceed([
      { item: 0, attempt: 1, code: null, charged: 5 },
      { item: 1, attempt: 1, code: 'video_private', charged: 0 },
    ])
    const running = await page.ask(own)
    expect(running.html).to.include('data-island="live"').and.include('/results.srt.zip')
    expect(running.text)
      .to.include('Completed 1 of 3')
      .and.include('5 charged of 15 held')
      .and.match(/cdn\.example\.com\/2\.mp4 Failed [^.]*\./)
    const [first] = (await page.batches.items(page.orgId, own.split('/').at(-1) ?? '', { limit: 1 })).items
    expect(running.html).to.include(`/jobs/${first?.jobId}`)
    const failed = await page.ask(`${own}?state=failed`)
    expect(failed.text).to.include('2.mp4').and.not.include('1.mp4')
    await page.proceed([{ item: 2, attempt: 1, code: null, charged: 5 }])
    const ended = await page.ask(own)
    expect(ended.html).to.not.include('data-island="live"').and.not.include(`${own}/cancel`)
    expect(ended.text).to.include('10 charged of 15, 5 refunded')
    expect((await page.ask()).text).to.include('Transcripts of 3 videos Ended 2 of 3 1 failed 10')
  })

  it('page through the videos of one', async () => {
    await using page = await batches('starter')
    const own = await page.begin(
      typed(
        Array.from({ length: 25 }, (_, n) => url(n)),
        { mode: 'native' },
      ),
    )
    const first = await page.ask(own)
    expect(first.text).to.include('/19.mp4').and.not.include('/20.mp4')
    const [, more = ''] = /\?(cursor=\d+)/.exec(first.html) ?? []
    const rest = await page.ask(`${own}?${more}`)
    expect(rest.text).to.include('/24.mp4').and.include('First videos').and.not.include('/19.mp4')
  })

  it('offer the results of one as files, and link to its jobs and back', async () => {
    await using page = await batches()
    const own = await page.begin(typed([url(1), url(2)]))
    await page.proceed([], 1)
    const jobId = await page.jobOfFirst()
    await endJob(page.ingress, jobId, { segments: [{ start: 0, end: 2, text: 'Welcome home.' }] })
    await page.proceed([{ item: 0, attempt: 1, code: null, charged: 1 }])
    const rows = (await page.file(`${own}/results.ndjson`)).trim().split('\n')
    expect(rows.map((row) => JSON.parse(row).result?.text)).to.deep.equal(['Welcome home.', undefined])
    expect(await page.file(`${own}/results.csv`)).to.include('"Welcome home."')
    const jobs = `/org/${page.orgId}/jobs`
    const batchId = own.split('/').at(-1) ?? ''
    expect((await page.ask(own)).html).to.include(`${jobs}?batch=${batchId}`)
    expect((await page.ask(`${jobs}?batch=${batchId}`)).html).to.include(`${jobs}/${jobId}`)
    expect((await page.ask(`${jobs}?batch=${jobId}`)).text).to.include('No matching jobs')
    expect((await page.ask(`${jobs}/${jobId}`)).html).to.include(`${own}"`)
  })

  it('cancel one after confirmation: items that have not begun never will', async () => {
    await using page = await batches()
    const own = await page.begin(typed([url(1), url(2)]))
    await page.proceed([], 1)
    expect((await page.ask(`${own}/cancel`)).text).to.match(
      /Cancels 1 video not yet started\. 1 video in progress will finish/,
    )
    const { answer } = await page.ask(`${own}/cancel`, {})
    expect(answer).to.include({ to: own, notice: 'batch-cancelled' })
    expect((await page.ask(own)).text)
      .to.include('No new videos start')
      .and.include('Cancelled 1')
    await page.proceed([{ item: 0, attempt: 1, code: null, charged: 5 }])
    expect((await page.ask(own)).text).to.include('5 charged of 10, 5 refunded')
  })
})
