import { expect } from 'chai'
import type { VideoMetadata } from '#contracts/generated/http.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import { streams } from '#packages/ports/ids.ts'
import { endJob } from '#test/doubles/ingress/ended-job.ts'
import { sourcesOf } from '#test/doubles/ingress/sources.ts'
import { openedForEach } from '#test/doubles/opened.ts'
import { startDashboard } from '../../dashboard.harness.ts'
import type { Page } from '../../route.ts'
import { operations } from './operations.ts'
import { tryRoutes } from './try-routes.tsx'

const url = 'https://cdn.example.com/film.mp4'
const once = '11111111-2222-4333-8444-555555555555'

describe('try it', () => {
  let orgId: string
  let filler: string
  const dashboard = openedForEach(() => {
    const found = () => ({ title: `<script>alert(1)</script>${filler}` }) as VideoMetadata
    const metadata = async () => ({ metadata: found(), missing: ['captions' as const] })
    const result = { platform: 'youtube', url: 'https://youtu.be/a', title: 'A <b>page', author: 'Ada', duration: 75 }
    const results = [{ ...result, stats: { views: 71_204 }, createdAt: null }] as never[]
    const search = async () => ({ results, next: null, incomplete: ['tiktok' as const] })
    const profiles = {
      tiktok: async ({ username }: { username: string }) => ({ profile: { username }, next: null }) as never,
      instagram: () => Promise.reject(new StepError('profile_not_found')),
    }
    return startDashboard({
      pages: (parts, options) => tryRoutes(parts, options),
      options: { operatorEmail: 'credits@example.com' },
      platforms: sourcesOf({ metadata, search, profiles }),
    })
  })
  beforeEach(async () => {
    filler = ''
    orgId = (await dashboard.ingress.org()).orgId
  })

  const show = (path: string) => dashboard.ask({ orgId, path: `/org/${orgId}/try${path}` })
  const send = (operation: string, form: Record<string, string | string[]>) =>
    dashboard.ask({ orgId, path: `/org/${orgId}/try/${operation}`, form })
  const statusOf = ({ answer }: { answer: unknown }) => (answer as Page).status
  const jobIdIn = (html: string) => /jobs\/([0-9a-f-]{36})/.exec(html)?.[1] ?? ''
  const jobs = async () => (await dashboard.ingress.memory.read(streams.credits(orgId))).filter(isDebit).length
  const isDebit = ({ type }: { type: string }) => type === 'CreditsDebited'

  it('links to each operation, with a form that has every field of the contract', async () => {
    const { html } = await show('')
    for (const { name, fields } of operations) {
      expect(html).to.contain(`/dashboard/org/${orgId}/try/${name}"`)
      const form = (await show(`/${name}`)).html
      // The local speech engine cannot distinguish speakers.
      for (const field of fields.filter((each) => each.name !== 'speakers'))
        expect(form, `${name} ${field.name}`).to.contain(`name="${field.name}"`)
    }
    expect(operations.find(({ name }) => name === 'extract')?.fields.map(({ name }) => name)).to.deep.equal([
      'url',
      'prompt',
      'schema',
      'lang',
      'strictLang',
      'translate',
      'vocabulary',
      'failFast',
      'webhookUrl',
      'reuse',
      'Idempotency-Key',
    ])
  })

  it('is a 404 for an unknown operation', async () => {
    const error = await show('/constructor').catch((thrown) => thrown)
    expect(error).to.include({ code: 'not_found' })
  })

  it('accepts a job without a key, holds its credits and redirects to it', async () => {
    const { answer, html, text } = await send('transcript', { url, mode: 'generate', lang: '', once })
    const [requested] = await dashboard.ingress.memory.read(streams.job(jobIdIn(html)))
    expect(requested?.data).to.deep.include({
      url,
      mode: 'generate',
      keyId: null,
      surface: 'dashboard',
      orgId,
      budget: 5,
    })
    expect([statusOf({ answer }), text]).to.satisfy(
      ([status, said]: [number, string]) => status === 200 && said.includes('HTTP 202') && said.includes('5 credits'),
    )
  })

  it('makes one job from a form that is sent twice, and two if the form was changed in between', async () => {
    const first = jobIdIn((await send('transcript', { url, once })).html)
    expect(jobIdIn((await send('transcript', { url, once })).html)).to.equal(first)
    expect(jobIdIn((await send('transcript', { url, mode: 'native', once })).html)).to.not.equal(first)
    expect(await jobs()).to.equal(2)
  })

  it('shows a problem in the field and as the Error object, and keeps what was typed', async () => {
    const { answer, html, text } = await send('transcript', { url: 'nowhere', lang: '"><b>', strictLang: 'true' })
    expect(statusOf({ answer })).to.equal(400)
    expect(text).to.contain('"error": "invalid_request"').and.to.contain('http://localhost:8080/docs/errors#')
    expect(html).to.contain('id="lang-problem"').and.to.contain('value="nowhere"').and.to.not.contain('"><b>')
  })

  it('accepts only a schema that is valid JSON and supported', async () => {
    const asked = { url, prompt: 'Who?' }
    expect((await send('extract', { ...asked, schema: '{' })).text).to.contain('JSON Schema must be JSON')
    expect((await send('extract', { ...asked, schema: '{"type":"string"}' })).text).to.contain('HTTP 400')
    const { html } = await send('extract', { ...asked, schema: '{"type":"object"}' })
    const [requested] = await dashboard.ingress.memory.read(streams.job(jobIdIn(html)))
    expect(requested?.data).to.deep.include({ prompt: 'Who?', schema: { type: 'object' } })
  })

  it('explains how to get more credits if there are too few, and does not count the heavy request', async () => {
    for (let n = 0; n < 5; n++) await send('extract', { url, prompt: `Who? ${n}` })
    let last = ''
    // A free organization may send 30 heavy requests in a minute.
    for (let n = 0; n < 40; n++) last = (await send('extract', { url, prompt: 'Who?' })).text
    expect(last).to.contain('HTTP 403 · forbidden').and.to.contain('Upgrade your plan')
  })

  it('shows the job beside the form that requested it: its progress, then its result', async () => {
    const { html, text } = await send('transcript', { url, mode: 'native', once })
    expect(html).to.contain('data-island="job"')
    expect(text).to.contain('"status": "queued"')
    const jobId = jobIdIn(html)
    await endJob(dashboard.ingress, jobId, { segments: [{ start: 0, end: 2, text: 'Welcome home.' }] })
    const ended = await dashboard.askUntil(
      { orgId, path: `/org/${orgId}/try/transcript?job=${jobId}` },
      'Welcome home.',
    )
    expect(ended.html).to.contain(`value="${url}"`).and.to.contain(`/jobs/${jobId}/transcript.srt`)
    expect(ended.html).to.match(/<option (selected )?value="native"( selected)?>|value="native" checked/)
    const { orgId: other } = await dashboard.ingress.org()
    const path = `/org/${other}/try/transcript?job=${jobId}`
    expect((await dashboard.ask({ orgId: other, path })).text).to.not.contain('Welcome home.')
  })

  it('shows the answers of lookups, and executes nothing in them', async () => {
    const { html, text } = await send('metadata', { url, include: ['captions', 'chapters'] })
    expect(text)
      .to.contain('HTTP 200')
      .and.to.contain('include=captions,chapters')
      .and.to.contain('Could not be read: captions.')
    expect(html, 'to be read, with the JSON folded').to.contain('<div class="tree">').and.contain('<summary>JSON')
    expect(html).to.not.contain('<script>')
    const found = await send('search', { q: 'audiobook', limit: '3' })
    expect(found.text)
      .to.contain('Could not be searched: tiktok.')
      .and.contain('A <b>page Ada · YouTube · 1:15 71,204 – Get transcript')
    expect(found.html).to.contain('/try/transcript?url=https%3A%2F%2Fyoutu.be%2Fa"')
    const profile = await send('profiles', { platform: 'tiktok', username: '@pageturners' })
    expect(profile.text).to.contain('"username": "pageturners"')
    const gone = await send('profiles', { platform: 'instagram', username: 'nobody' })
    expect(statusOf(gone)).to.equal(404)
    expect(statusOf(await send('profiles', { platform: 'x', username: 'nobody' }))).to.equal(400)
  })

  it('shows only the beginning of an answer that is too long for the page', async () => {
    filler = '“日本”\n'.repeat(20_000)
    const { html, text } = await send('metadata', { url })
    expect(text).to.contain('This is the beginning')
    expect(Buffer.byteLength(html)).to.be.below(25_000)
    expect(html).to.not.contain('\uFFFD')
  })

  it('estimates the chosen kind of job, without the fields of the other', async () => {
    const both = { url, mode: 'native', prompt: 'Who?' }
    expect((await send('estimate', { ...both, job: 'transcript' })).text).to.contain('"held": 1')
    expect((await send('estimate', { ...both, job: 'extraction' })).text).to.contain('"held": 10')
    expect(await jobs()).to.equal(0)
  })

  it('begins with the values in the address, and with examples', async () => {
    const { html } = await show(`/extract?url=${encodeURIComponent(url)}`)
    expect(html).to.contain(`value="${url}"`).and.to.contain('Who is mentioned')
  })
})
