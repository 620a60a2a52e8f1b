/** Pages and files of large results are not made on the main thread, even if one member requests them repeatedly. */
import { expect } from 'chai'
import { serveDashboard } from '#services/dashboard/served-dashboard.harness.ts'
import { endJob } from '#test/doubles/ingress/ended-job.ts'
import { madeForAll, openedForAll } from '#test/doubles/opened.ts'
import { whileParsing } from '#test/doubles/parse-watch.ts'
import { until } from '#test/doubles/service/until.ts'

/** Characters that may be parsed, or written as JSON, on the main thread. */
const SMALL = 100_000

const AT_ONCE = 2

const text = 'and then she said that it was late, <b> & he "laughed" \u{1f600}'
const segments = (count: number) => Array.from({ length: count }, (_, n) => ({ start: n, end: n + 1, text }))

/** Results of one to two megabytes, each costly in another way. */
const results = {
  segments: { segments: segments(10_000) },
  'one segment': { segments: [{ start: 0, end: 9, text: text.repeat(10_000) }] },
  'small segments': { segments: segments(20_000).map((one) => ({ ...one, text: 'a' })) },
  'small values': { extracted: { list: Array.from({ length: 100_000 }, (_, n) => ({ n })) } },
  fields: { extracted: Object.fromEntries(Array.from({ length: 40_000 }, (_, n) => [`a field of number ${n}`, 1])) },
  'one text': { extracted: { resultJson: null, text: '"\\\u2028&'.repeat(100_000) } },
} as const

describe('attacks by large results, with many requests of one member at once', function () {
  this.timeout(60_000)
  const dashboard = openedForAll(() => serveDashboard({ options: { extracts: true } }))
  const ada = madeForAll(() => dashboard.signedUp('ada@example.com'))
  const jobs = new Map<string, { kind: 'transcript' | 'extract'; jobId: string }>()

  before(async () => {
    for (const [name, end] of Object.entries(results)) {
      const kind = 'segments' in end ? 'transcript' : 'extract'
      const more = kind === 'extract' ? { prompt: 'What is said?' } : { mode: 'native' }
      const asked = { key: ada.key, json: { url: 'https://cdn.example.com/film.mp4', ...more } }
      const { body } = await dashboard.ingress.call('POST', `/v1/${kind}`, asked)
      await endJob(dashboard.ingress, body.jobId, end as Parameters<typeof endJob>[2])
      jobs.set(name, { kind, jobId: body.jobId })
    }
    for (const { kind, jobId } of jobs.values())
      await until('a job is shown', async () => {
        const of = { jobId, orgId: ada.orgId, kind: kind === 'extract' ? 'extraction' : kind } as const
        return (await dashboard.parts.watch.see(of))?.status === 'completed'
      })
  })

  /**
   * Asserts that this thread parses and writes no JSON of more than `SMALL` characters during `act`. JSON of events is
   * left out: stores decode each event in its own turn of the event loop.
   */
  async function assertSmallJson(what: string, act: () => Promise<unknown>): Promise<void> {
    const { stringify } = JSON
    let count = 0
    const note = (json: string): void => {
      if (json.length > SMALL && !/^."(language|result)"/.test(json)) count += 1
    }
    JSON.stringify = ((...given: Parameters<typeof stringify>) => {
      const json = stringify(...given)
      if (json?.length > SMALL) count += 1
      return json
    }) as typeof stringify
    try {
      await whileParsing(note, act)
      expect(count, what).to.equal(0)
    } finally {
      JSON.stringify = stringify
    }
  }

  const many = async (path: string): Promise<string> => {
    const seen = await Promise.all(Array.from({ length: AT_ONCE }, () => ada.get(path)))
    for (const { status } of seen) expect(status, path).to.equal(200)
    return seen[0]?.html ?? ''
  }

  it('on the page of a job, which shows the beginning', async () => {
    for (const [name, { jobId }] of jobs)
      await assertSmallJson(name, async () => {
        const html = await many(`/org/${ada.orgId}/jobs/${jobId}`)
        expect(html.length, name).to.be.within(1000, 200_000)
        expect(html).to.match(/the files? ha(s|ve)|Next part/)
      })
  })

  it('on its page with a search, and at its last part', async () => {
    for (const [name, { jobId, kind }] of jobs)
      if (kind === 'transcript')
        for (const query of ['?find=a&page=99999', '?t=39999&find=%22laughed%22'])
          await assertSmallJson(name + query, () => many(`/org/${ada.orgId}/jobs/${jobId}${query}`))
  })

  it('in its files: JSON is sent as it is stored, and the thread makes other formats', async () => {
    for (const [name, { jobId, kind }] of jobs) {
      const forms = kind === 'transcript' ? ['json', 'srt', 'vtt', 'txt'] : ['json']
      const file = kind === 'transcript' ? 'transcript' : 'extraction'
      for (const form of forms)
        await assertSmallJson(`${name}.${form}`, () => many(`/org/${ada.orgId}/jobs/${jobId}/${file}.${form}`))
    }
  })

  it('in polls, in every format that Accept may name', async () => {
    for (const [name, { jobId, kind }] of jobs)
      for (const accept of ['application/json', 'text/vtt', 'application/x-subrip', 'text/plain'])
        await assertSmallJson(`${name} ${accept}`, async () => {
          const headers = { 'x-api-key': ada.key, accept }
          const url = `${dashboard.ingress.base}/v1/${kind}/${jobId}`
          const asks = Array.from({ length: AT_ONCE }, () => fetch(url, { headers }))
          for (const answer of await Promise.all(asks))
            expect([answer.status, (await answer.text()).length > 0]).to.deep.equal([200, true])
        })
  })

  it('give files with exactly what is stored, and what was said', async () => {
    const { jobId = '' } = jobs.get('one text') ?? {}
    const { html } = await ada.get(`/org/${ada.orgId}/jobs/${jobId}/extraction.json`)
    expect(JSON.parse(html)).to.deep.equal(results['one text'].extracted)
    expect((await ada.get(`/org/${ada.orgId}/jobs/${jobId}`)).html).to.contain('resultJson')
    const spoken = jobs.get('segments')?.jobId
    const srt = (await ada.get(`/org/${ada.orgId}/jobs/${spoken}/transcript.srt`)).html
    expect(srt.split('-->')).to.have.length(10_001)
  })
})
