import type { Client } from '@modelcontextprotocol/client'
import { expect } from 'chai'
import type { TikTokProfile } from '#contracts/generated/http.ts'
import { profilePlatforms } from '#packages/platforms/registry.ts'
import type { Videos } from '#packages/platforms/videos/create-videos.ts'
import { endJob, type JobEnd } from '#test/doubles/ingress/ended-job.ts'
import {
  film,
  instagramProfile,
  type McpHarness,
  startMcpHarness,
  structureOf,
  textOf,
  tiktokProfile,
  videoTextOf,
  ways,
} from '#test/doubles/mcp/mcp.harness.ts'
import { tokensOf } from './tokens.ts'

const url = 'https://cdn.example.com/film.mp4'
const refused = 'https://cdn.example.com/refused.mp4'
const summary: Videos['summary'] = async (asked) => ({
  metadata: film,
  missing: asked === refused ? ['viewCount'] : [],
})
const post: TikTokProfile['videos'][number] = {
  platform: 'tiktok',
  type: 'video',
  id: '1',
  url: 'https://www.tiktok.com/@teller/video/1',
  title: null,
  description: null,
  stats: { views: 1, likes: null, comments: null, shares: null },
  media: { type: 'video', thumbnailUrl: null, duration: 5 },
  tags: [],
  createdAt: null,
  authorId: null,
  authorUrl: null,
  isLive: null,
  additionalData: {},
}
const segments = [
  { start: 0, end: 2, text: 'Welcome.' },
  { start: 62, end: 64.5, text: 'Goodbye.' },
]

for (const way of ways) {
  describe(`the tools over ${way.transport}, protocol ${way.mode === 'auto' ? 'of 2026' : 'of 2025'}`, function () {
    this.timeout(60_000)
    let harness: McpHarness
    let host: Client
    before(async () => {
      harness = await startMcpHarness({ sources: { summary } })
      host = await harness.connect(way)
    })
    after(() => harness[Symbol.asyncDispose]())

    const call = (name: string, given: Record<string, unknown>, options = {}) =>
      host.callTool({ name, arguments: given }, options)

    it('are five, with titles, schemas, costs, and hints that make hosts ask before spending', async () => {
      const { tools } = await host.listTools()
      const told = tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])
      expect(Object.fromEntries(told)).to.deep.equal({
        get_video_metadata: true,
        get_video_transcript: false,
        extract_from_video: false,
        ...Object.fromEntries(profilePlatforms.map((platform) => [`get_${platform.name}_profile`, true])),
      })
      for (const { name, title, description, inputSchema, outputSchema, annotations } of tools) {
        expect(title, name).to.be.a('string')
        expect(description, name)
          .to.match(/Free\.|[Cc]osts \d+ credit/)
          .and.match(/seconds|minutes/)
        expect(inputSchema.type, name).to.equal('object')
        expect(outputSchema?.type, name).to.equal('object')
        expect(annotations, name).to.include({ openWorldHint: true, idempotentHint: true, destructiveHint: false })
      }
    })

    it('read metadata and profiles, as text and as structured content', async () => {
      const cases = [
        ['get_video_metadata', { url }, film],
        ['get_tiktok_profile', { username: '@teller', limit: 3 }, tiktokProfile],
        ['get_instagram_profile', { url: 'https://www.instagram.com/teller/' }, instagramProfile],
      ] as const
      for (const [name, given, expected] of cases) {
        const result = await call(name, given)
        expect(result.isError, name).to.not.equal(true)
        expect(structureOf(result), name).to.deep.equal(expected)
        expect(
          videoTextOf(result).map((text) => JSON.parse(text)),
          name,
        ).to.deep.equal([expected])
      }
    })

    it('name what a platform withholds about a video, as distinct from what is absent', async () => {
      const result = await call('get_video_metadata', { url: refused })
      expect(structureOf(result)).to.deep.equal({ ...film, incomplete: ['viewCount'] })
      expect(textOf(result)).to.include('viewCount could not be read')
      expect(videoTextOf(result).map((text) => JSON.parse(text))).to.deep.equal([film])
    })

    it('return a transcript, with progress of the job', async () => {
      const progress: string[] = []
      const called = call(
        'get_video_transcript',
        { url, mode: 'native' },
        {
          onprogress: ({ message = '' }: { message?: string }) => void progress.push(message),
        },
      )
      const { jobId } = await harness.nextJob()
      await endJob(harness.ingress, jobId, { segments })
      const result = await called
      expect(structureOf(result)).to.deep.equal({
        status: 'completed',
        jobId,
        language: 'en',
        source: 'captions',
        segments,
        next: [],
      })
      expect(videoTextOf(result)).to.deep.equal(['[0:00] Welcome.\n[1:02] Goodbye.'])
      expect(progress[0]).to.equal('looking for an earlier run of this call')
      expect(progress[1]).to.equal(`job ${jobId} was taken on`)
      expect((await harness.acme.get('/v1/jobs?surface=mcp&limit=1')).body.jobs[0]).to.include({ jobId })
    })

    it('return an extraction, and a part of it by its path without a second job', async () => {
      const given = {
        url,
        prompt: 'Who speaks?',
        schema: { type: 'object', properties: { people: { type: 'array' } } },
      }
      const called = call('extract_from_video', given)
      const { jobId } = await harness.nextJob()
      const extracted = { people: [{ name: 'Ada' }, { name: 'Bob' }] }
      await endJob(harness.ingress, jobId, { extracted })
      const whole = { status: 'completed', jobId, path: '', result: extracted, next: [] }
      expect(structureOf(await called)).to.deep.equal(whole)
      expect(structureOf(await call('extract_from_video', { ...given, path: '/people/1/name' })).result).to.equal('Bob')
      const jobs = (await harness.acme.get('/v1/jobs')).body.jobs.length
      const named = await call('extract_from_video', { url, prompt: 'as asked', jobId, path: '/people/0' })
      expect(structureOf(named).result).to.deep.equal({ name: 'Ada' })
      expect((await harness.acme.get('/v1/jobs')).body.jobs, 'no job was requested').to.have.length(jobs)
      const unknown = await call('extract_from_video', { url, prompt: 'as asked', jobId: crypto.randomUUID() })
      expect(textOf(unknown)).to.match(/^code: not_found\n/)
      const lost = await call('extract_from_video', { ...given, path: '/nobody' })
      expect(lost.isError).to.equal(true)
      expect(textOf(lost)).to.contain('code: invalid_request').and.contain('/nobody')
    })

    it('return errors with code, message and next step', async () => {
      const refused = await call('get_video_metadata', { url: 'http://127.0.0.1/secret' })
      expect(refused.isError).to.equal(true)
      expect(textOf(refused)).to.match(/^code: invalid_request\nmessage: .+\ndetails: .*"url".*\nnext step: Correct/s)
      const called = call('get_video_transcript', { url: `${url}?failing`, mode: 'native' })
      const { jobId } = await harness.nextJob()
      await endJob(harness.ingress, jobId, { code: 'captions_unavailable', message: 'There are none.' })
      const failed = await called
      expect(failed.isError).to.equal(true)
      expect(textOf(failed)).to.equal(
        `code: captions_unavailable\nmessage: There are none.\njobId: ${jobId}\n` +
          'next step: Nothing was charged. Call again with mode "auto" or "generate" (5 credits).',
      )
    })

    it('refuse invalid arguments before any request, and say what is allowed', async () => {
      const jobs = (await harness.acme.get('/v1/jobs')).body.jobs.length
      for (const [given, told] of [
        [{}, 'url is required'],
        [{ url, mode: 'fast' }, 'mode must be one of native, generate, auto'],
        [
          { url, speed: 1 },
          'speed is not a known field: there are url, mode, lang, strictLang, translate, vocabulary, jobId, fromSeconds, toSeconds',
        ],
        [{ url, fromSeconds: -1 }, 'fromSeconds must be >= 0'],
      ] as const) {
        const refused = await call('get_video_transcript', given)
        expect(refused.isError).to.equal(true)
        expect(textOf(refused)).to.match(/^code: invalid_request\nmessage: .+\ndetails: .+\nnext step: Correct/s)
        expect(textOf(refused)).to.contain(`message: ${told}\n`)
      }
      expect((await harness.acme.get('/v1/jobs')).body.jobs).to.have.length(jobs)
    })

    it('stop waiting when the call is cancelled; the job continues, and a repeat resumes it', async () => {
      const given = { url: `${url}?cancelled`, mode: 'native' }
      const end = new AbortController()
      const cancelled = call('get_video_transcript', given, { signal: end.signal }).catch((error: Error) => error)
      const { jobId } = await harness.nextJob()
      const credits = await harness.acme.credits()
      end.abort()
      expect(await cancelled).to.be.instanceOf(Error)
      expect((await harness.acme.get(`/v1/transcript/${jobId}`)).body.status).to.equal('queued')
      const again = call('get_video_transcript', given)
      await endJob(harness.ingress, jobId, { segments })
      expect(structureOf(await again).jobId).to.equal(jobId)
      expect(await harness.acme.credits()).to.equal(credits)
    })
  })
}

describe('a result that is cut', () => {
  const maxResultTokens = 3000
  const posts = Array.from({ length: 9 }, (_, n) => ({ ...post, id: `${n}`, description: `${n} told `.repeat(100) }))
  let harness: McpHarness
  let host: Client
  before(async () => {
    const profile = async () => ({ profile: { ...tiktokProfile, videos: posts }, next: null })
    harness = await startMcpHarness({
      maxResultTokens,
      sources: { profiles: { tiktok: profile, instagram: async () => ({ profile: instagramProfile, next: null }) } },
    })
    host = await harness.connect({ transport: 'http', mode: 'auto' })
  })
  after(() => harness[Symbol.asyncDispose]())

  /** Makes the next calls that the answers name, exactly as given, and returns all answers. */
  async function followed(name: string, given: Record<string, unknown>, end?: JobEnd) {
    const answers = []
    const open = [{ tool: name, arguments: given }]
    for (let next = open.shift(); next; next = open.shift()) {
      const called = host.callTool({ name: next.tool, arguments: next.arguments })
      if (end && answers.length === 0) await endJob(harness.ingress, (await harness.nextJob()).jobId, end)
      const answer = await called
      expect(tokensOf(textOf(answer)) + tokensOf(JSON.stringify(structureOf(answer)))).to.be.at.most(maxResultTokens)
      answers.push(structureOf(answer))
      open.push(...(structureOf(answer).next ?? []))
    }
    expect(answers.length).to.be.above(2)
    return answers
  }

  it('is completed by the next calls that it names, which cost nothing', async () => {
    const credits = await harness.acme.credits()
    const told = Array.from({ length: 300 }, (_, n) => ({ start: n * 2, end: n * 2 + 1, text: `and the ${n}th word` }))
    const pages = await followed('get_video_transcript', { url, mode: 'native' }, { segments: told })
    expect(pages.flatMap(({ segments }) => segments)).to.deep.equal(told)
    const people = Array.from({ length: 400 }, (_, n) => `Person ${n}`)
    const schema = { type: 'object', description: 'large '.repeat(4000), properties: { people: { type: 'array' } } }
    const given = { url, prompt: 'Who speaks?', schema }
    const parts = await followed('extract_from_video', given, { extracted: { people } })
    expect(parts.flatMap(({ result }) => result.people ?? result)).to.deep.equal(people)
    const profiles = await followed('get_tiktok_profile', { username: 'teller' })
    expect(profiles.flatMap(({ videos }) => videos)).to.deep.equal(posts)
    // The stand-in for the workers charges one credit per job.
    expect(await harness.acme.credits()).to.equal(credits - 2)
  }).timeout(60_000)
})
