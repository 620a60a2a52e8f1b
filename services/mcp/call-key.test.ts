import { expect } from 'chai'
import type { ListedJob } from '#contracts/generated/http.ts'
import type { VideoIntelligence } from '#packages/client/client.ts'
import { findJob } from './call-key.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const ago = (minutes: number): string => new Date(now - minutes * 60_000).toISOString()
const body = { url: 'https://cdn.example.com/film.mp4', mode: 'auto' }

const job = (jobId: string, status: ListedJob['status'], endedMinutesAgo: number | null): ListedJob => ({
  jobId,
  kind: 'transcript',
  status,
  url: body.url,
  createdAt: ago((endedMinutesAgo ?? 0) + 1),
  endedAt: endedMinutesAgo === null ? null : ago(endedMinutesAgo),
  mode: 'auto',
  platform: 'direct',
  domain: 'example.com',
  keyId: null,
  surface: 'mcp',
  title: null,
  author: null,
  thumbnail: null,
  durationSeconds: null,
  language: null,
  errorCode: null,
  errorMessage: null,
  creditsCharged: null,
})

/** A list that has these jobs under the keys of one call, in this order. */
function listOf(jobs: readonly ListedJob[]) {
  const asked: string[] = []
  const client = {
    jobs: async ({ idempotencyKey = '' }) => {
      asked.push(idempotencyKey)
      const found = jobs[Number(idempotencyKey.split('-').at(-1))]
      return { jobs: found === undefined ? [] : [found], nextCursor: null }
    },
  } as unknown as VideoIntelligence
  const find = (of: object = body, kind: 'transcript' | 'extract' = 'transcript') =>
    findJob(client, { kind, body: of, signal: AbortSignal.timeout(5000), now })
  return { asked, find }
}

const freeKeyOf = async (found: ReturnType<ReturnType<typeof listOf>['find']>): Promise<string> => {
  const standing = await found
  return 'freeKey' in standing ? standing.freeKey : `taken by ${standing.jobId}`
}

describe('the key of a call', () => {
  it('is the same for the same request in any field order, and different for any other', async () => {
    const { find } = listOf([])
    const key = await freeKeyOf(find())
    expect(key).to.match(/^mcp-[0-9a-f]{64}-0$/)
    expect(await freeKeyOf(find({ mode: 'auto', url: body.url }))).to.equal(key)
    const nested = { ...body, schema: { a: [1, { c: 1, b: 2 }] } }
    expect(await freeKeyOf(find({ ...body, schema: { a: [1, { b: 2, c: 1 }] } }))).to.equal(
      await freeKeyOf(find(nested)),
    )
    expect(await freeKeyOf(find({ ...body, schema: { a: [{ b: 2, c: 1 }, 1] } }))).to.not.equal(
      await freeKeyOf(find(nested)),
    )
    expect(await freeKeyOf(find({ ...body, mode: 'native' }))).to.not.equal(key)
    expect(await freeKeyOf(find(body, 'extract'))).to.not.equal(key)
  })

  it('belongs to a job that runs, or was completed within the hour', async () => {
    for (const found of [job('j', 'queued', null), job('j', 'completed', 0), job('j', 'completed', 60)])
      expect(await listOf([found]).find()).to.deep.equal({ jobId: 'j', status: found.status })
  })

  it('moves past a job that failed or ended over an hour ago', async () => {
    for (const found of [job('j', 'failed', 1), job('j', 'completed', 61)])
      expect(await freeKeyOf(listOf([found]).find())).to.match(/-1$/)
    expect(await listOf([job('a', 'failed', 3), job('b', 'completed', 2)]).find()).to.deep.equal({
      jobId: 'b',
      status: 'completed',
    })
  })

  it('is found in few requests, however often the call was made', async () => {
    for (const count of [1, 2, 3, 7, 30, 365, 1000]) {
      const old = Array.from({ length: count }, (_, n) => job(`old ${n}`, n % 2 === 0 ? 'failed' : 'completed', 90))
      const fresh = listOf(old)
      expect(await freeKeyOf(fresh.find()), String(count)).to.match(new RegExp(`-${count}$`))
      expect(fresh.asked.length).to.be.at.most(2 + 2 * Math.ceil(Math.log2(count + 1)))
      const running = listOf([...old, job('new', 'queued', null)])
      expect(await running.find(), String(count)).to.deep.equal({ jobId: 'new', status: 'queued' })
    }
  })
})
