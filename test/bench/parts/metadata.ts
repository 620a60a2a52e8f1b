import { allOf } from '../kit/all-of.ts'
import { Child } from '../kit/child.ts'
import { perSecond, times } from '../kit/figures.ts'
import type { RawRequest } from '../kit/raw-connection.ts'
import { duel } from '../kit/rounds.ts'
import { startLoad, startTested } from '../kit/start.ts'
import type { Bench, Figures, Part, Row } from '../part.ts'
import {
  keysOf,
  type Outside,
  runYtdlp,
  sandboxProcess,
  startService,
  unknownVideos,
} from '../service/sandboxed-service.ts'

const WORKERS = 3
const UNKNOWN = 60
const PROCESSES = 8
const ROUNDS = 3
const CACHED = { urls: 20, connections: 64, ms: 2000 }
const WANTED = { unknown: 10, known: 0.75 }

const express = new URL('../service/express-process.ts', import.meta.url)

const metadataOf = (url: string, key: string): RawRequest => ({
  method: 'GET',
  path: `/v1/metadata?url=${encodeURIComponent(url)}`,
  headers: { 'x-api-key': key },
})

/** Reads videos as a script would: one yt-dlp process for each video, two at a time. */
async function processPerRequest(outside: Outside, cache: string, urls: readonly string[]): Promise<number> {
  const from = performance.now()
  await allOf(urls.length, 2, (index) => runYtdlp(outside, cache, ['-J', urls[index] ?? '']))
  return urls.length / ((performance.now() - from) / 1000)
}

async function run(bench: Bench): Promise<Figures> {
  await using world = new Child(sandboxProcess, { directory: bench.directory })
  const outside = await world.call<Outside>('open')
  await using service = await startService(outside, { YTDLP_WORKERS: String(WORKERS) })
  const keys = await keysOf(service)
  const keyAt = (index: number): string => keys[index % keys.length] ?? ''
  await using load = startLoad(bench)
  const port = Number(new URL(service.base).port)
  const next = unknownVideos()

  const requestsFor = (count: number): RawRequest[] =>
    Array.from({ length: count }, (_, i) => metadataOf(next(), keyAt(i)))
  const readUnknown = async (): Promise<number> => {
    const count = Math.ceil(UNKNOWN * bench.scale)
    // One connection for each worker: the sandbox and the load share the machine with them.
    const wish = { port, requests: requestsFor(count), connections: WORKERS, end: { count }, status: 200 }
    return (await load.run(wish)).perSecond
  }
  const cache = await bench.folder('yt-dlp')
  const readByProcesses = (): Promise<number> =>
    processPerRequest(outside, cache, Array.from({ length: Math.ceil(PROCESSES * bench.scale) }, next))
  await readUnknown()
  await readByProcesses()
  const unknown = await duel(ROUNDS, readUnknown, readByProcesses)
  const rows: Row[] = [
    {
      what: `GET /v1/metadata of videos not known before, by ${WORKERS} warm workers`,
      measured: perSecond(unknown.ours),
      against: `one yt-dlp process for each, two at a time: ${perSecond(unknown.theirs)}`,
      ratio: times(unknown.ratio),
      wanted: `≥ ${WANTED.unknown} ×`,
      met: unknown.ratio >= WANTED.unknown,
      why: "What is left is yt-dlp's own reading of a page and a player answer, which both do; the start of Python, of yt-dlp's extractors and of its session is what the workers save.",
    },
    await cachedRow(bench, { port, load, requests: requestsFor(CACHED.urls) }),
  ]
  return { rows }
}

type Serving = { port: number; load: ReturnType<typeof startLoad>; requests: RawRequest[] }

async function cachedRow(bench: Bench, { port, load, requests }: Serving): Promise<Row> {
  const first = await load.run({ port, requests, connections: 2, end: { count: requests.length }, status: 200 })
  if (first.count !== requests.length) throw new Error('not every video was read')
  const [one] = requests
  const answer = await fetch(`http://127.0.0.1:${port}${one?.path}`, { headers: one?.headers ?? {} })
  const job = (await answer.json()) as object
  await using bare = startTested(bench, express)
  const { port: barePort } = await bare.call<{ port: number }>('open', { job })
  const measure = (port: number, requests: readonly RawRequest[]) => async () => {
    const end = { afterMs: CACHED.ms * bench.scale }
    return (await load.run({ port, requests, connections: CACHED.connections, end, status: 200 })).perSecond
  }
  const ours = measure(port, requests)
  const theirs = measure(barePort, [{ method: 'GET', path: '/v1/transcript/video', headers: {} }])
  await duel(1, ours, theirs)
  const cached = await duel(ROUNDS, ours, theirs)
  return {
    what: `the same of ${CACHED.urls} videos that are known (${CACHED.connections} connections, authenticated)`,
    measured: perSecond(cached.ours),
    against: `bare Express 5 JSON route, same body: ${perSecond(cached.theirs)}`,
    ratio: times(cached.ratio),
    wanted: `≥ ${WANTED.known} ×`,
    met: cached.ratio >= WANTED.known,
  }
}

export const metadata: Part = { name: 'metadata', title: 'Metadata of videos', run }
