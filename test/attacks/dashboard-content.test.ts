import { expect } from 'chai'
import { noOptions } from '#packages/domain/job/events.ts'
import { results } from '#packages/domain/job/job.fixture.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import { noTerms } from '#packages/jobs/acceptance/terms.ts'
import { newTraceparent } from '#packages/telemetry/traceparent.ts'
import { startDashboard } from '#services/dashboard/dashboard.harness.ts'
import { jobFileRoutes } from '#services/dashboard/pages/jobs/job-files.ts'
import { jobRoutes } from '#services/dashboard/pages/jobs/job-routes.tsx'
import { jobListRoutes } from '#services/dashboard/pages/jobs/list.tsx'
import { appendToJob, settleJob } from '#test/doubles/ingress/ended-job.ts'
import { openedForAll } from '#test/doubles/opened.ts'

/** Markup that would take effect if a page did not escape it. */
const EVIL = `</script></pre></title>"'><img src=x onerror=alert(1)><svg onload=alert(1)>{{evil}}<a href="javascript:alert(1)">`

/** Such markup for fields of 35 characters at most. */
const SHORT = '<img src=x onerror=alert(1)>{{evil}}'.slice(0, 35)

/** The tags that our pages use. Any other tag came from a stranger's text. */
const ourTags = new Set(
  `a badge button caption code dd details div dl dt em form h1 h2 h3 input label li main mark nav noscript ol option p pre rect
  section select span strong summary svg table tbody td th thead time tr ul`.split(/\s+/),
)

/** One tag with its attributes. No attribute's value contains a quote or `<`. */
const aTag = /<\/?([a-z][a-z0-9]*)((?:\s+[a-z-]+(?:="[^"<]*")?)*)\s*\/?>/gi
const anAttribute = /([a-z-]+)(?:="([^"]*)")?/gi

/** Asserts that a page has only our tags and attributes, and links only to the web or to itself. */
function assertHarmless(html: string): void {
  expect(html).to.contain('{{evil}}')
  for (const [tag, name, attributes = ''] of html.matchAll(aTag)) {
    expect(ourTags, tag).to.include(name)
    for (const [, attribute = '', value = ''] of attributes.matchAll(anAttribute)) {
      expect(attribute, tag).to.not.match(/^(on\w+|style|src|srcdoc|formaction)$/i)
      if (['href', 'action'].includes(attribute)) expect(value, tag).to.match(/^(https?:\/\/|[/#?])/)
    }
  }
  // Every `<` begins one of these tags.
  expect(html.replaceAll(aTag, '')).to.not.contain('<')
}

describe('markup of strangers, on pages of jobs', () => {
  const dashboard = openedForAll(() =>
    startDashboard({
      pages: (parts, options) => [
        ...jobListRoutes(parts, options),
        ...jobRoutes(parts, options),
        ...jobFileRoutes(parts),
      ],
    }),
  )
  let orgId: string

  before(async () => {
    orgId = (await dashboard.ingress.org('pro')).orgId
  })

  const url = `https://cdn.example.com/${encodeURIComponent('"><img src=x>')}.mp4?"onmouseover=alert(1)`

  /** A job with hostile text in every field that a stranger supplies; these events follow. */
  async function jobWith(kind: 'transcript' | 'extraction', ...events: DomainEvent[]): Promise<string> {
    const isTranscript = kind === 'transcript'
    const { jobId } = await dashboard.ingress.shared.acceptance.accept({
      request: {
        kind,
        url: new URL(url).href,
        mode: isTranscript ? 'native' : null,
        lang: SHORT,
        prompt: isTranscript ? null : EVIL,
        schema: isTranscript ? null : { title: EVIL, [EVIL]: [EVIL] },
        options: noOptions,
      },
      terms: noTerms,
      keyId: null,
      surface: 'api',
      monthlyCredits: null,
      idempotencyKey: undefined,
      metadata: { orgId, causationId: 'test', traceparent: newTraceparent(true) },
    })
    const { data } = results.fetched
    const fetched = { ...data, metadata: { ...data.metadata, title: EVIL, author: EVIL } }
    const worker = { step: 'fetch', attempt: 1, worker: EVIL, leaseSeconds: 30 } as const
    const begun = { type: 'StepStarted', data: worker } as const
    await appendToJob(dashboard.ingress, jobId, begun, { type: 'VideoFetched', data: fetched }, ...events)
    return jobId
  }
  const completed = (kind: 'transcript' | 'extraction'): DomainEvent => ({
    type: 'JobCompleted',
    data: { orgId, kind, credits: 1 },
  })
  const captions: DomainEvent = {
    type: 'CaptionsRead',
    data: { ...results.captions.data, language: SHORT, segments: [{ start: 0, end: 1, text: EVIL, speaker: EVIL }] },
  }
  const shown = (jobId: string, words: string, query = '') =>
    dashboard.askUntil({ orgId, path: `/org/${orgId}/jobs/${jobId}${query}` }, words)

  it('is text in the title and the timeline of an open job, also for the script of the page', async () => {
    const { html } = await shown(await jobWith('transcript'), 'Waiting for a free worker')
    assertHarmless(html)
    const props = /data-props="([^"]*)"/.exec(html)?.[1]?.replaceAll('&quot;', '"').replaceAll('&lt;', '<')
    expect(
      JSON.parse(props?.replaceAll('&amp;', '&') ?? '').events.map(({ detail }: { detail: string }) => detail),
    ).to.include(EVIL)
  })

  it('is text in a transcript and in its search results', async () => {
    const jobId = await jobWith('transcript', captions, completed('transcript'))
    await settleJob(dashboard.ingress, jobId, 1)
    assertHarmless((await shown(jobId, '1 segments')).html)
    const found = await shown(jobId, '1 of 1 segments match.', `?find=${encodeURIComponent(EVIL.slice(0, 90))}`)
    assertHarmless(found.html)
  })

  it('is text in an extraction, its prompt and its schema', async () => {
    const { data } = results.extraction
    const result = {
      [EVIL]: EVIL,
      list: [{ [EVIL]: [EVIL, null, true, 1] }],
      __proto__: { x: EVIL },
      long: EVIL.repeat(9),
    }
    const events: DomainEvent[] = [captions, { type: 'ExtractionProduced', data: { ...data, result } }]
    const jobId = await jobWith('extraction', ...events, completed('extraction'))
    await settleJob(dashboard.ingress, jobId, 1)
    assertHarmless((await shown(jobId, 'fields')).html)
  })

  it('is text in the reason of a failure', async () => {
    const code = EVIL as 'no_speech'
    const failed: DomainEvent = {
      type: 'JobFailed',
      data: { orgId, kind: 'transcript', code, message: EVIL, used: null },
    }
    const jobId = await jobWith('transcript', failed)
    await settleJob(dashboard.ingress, jobId, 0)
    assertHarmless((await shown(jobId, 'Refunded')).html)
  })

  it('is text in the list of jobs, and in the search that a visitor typed above it', async () => {
    const typed = new URLSearchParams({ url: EVIL, status: EVIL, key: EVIL, from: EVIL })
    const { html } = await dashboard.ask({ orgId, path: `/org/${orgId}/jobs?${typed}` })
    assertHarmless(html)
    const list = await dashboard.ask({ orgId, path: `/org/${orgId}/jobs` })
    assertHarmless(`${list.html}{{evil}}`)
  })

  it('is in files that no browser shows as a page, under names that we choose', async () => {
    const jobId = await jobWith('transcript', captions, completed('transcript'))
    await settleJob(dashboard.ingress, jobId, 1)
    await shown(jobId, '1 segments')
    for (const extension of ['srt', 'vtt', 'txt', 'json']) {
      const { answer } = await dashboard.ask({ orgId, path: `/org/${orgId}/jobs/${jobId}/transcript.${extension}` })
      if (answer.type !== 'download') throw new Error(answer.type)
      expect(answer.name).to.equal(`${jobId}-transcript.${extension}`)
      expect(answer.mediaType).to.not.match(/html|svg|xml/)
    }
  })
})
