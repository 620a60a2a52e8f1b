/** A batch beside the same jobs, requested one by one. */
import { Buffer } from 'node:buffer'
import { setTimeout as pause } from 'node:timers/promises'
import type { BatchDetails } from '#contracts/generated/http.ts'
import type { Service } from '#test/doubles/service/service.ts'
import { allOf } from '../kit/all-of.ts'
import { Child } from '../kit/child.ts'
import { cpuSeconds } from '../kit/cpu-time.ts'
import { figure, megabytes, times } from '../kit/figures.ts'
import type { Bench, Figures, Part } from '../part.ts'
import { askTranscript } from '../service/ask-transcript.ts'
import { keysOf, type Outside, sandboxProcess, startService, unknownVideos } from '../service/sandboxed-service.ts'

const ITEMS = 2000
const WARM = 40
/** How many single jobs are under way at once: as many as a batch has. */
const AT_ONCE = 20
const LOOK_EVERY_MS = 2000
const WANTED = { cpu: 1.2, memory: 1.2 }

type Cost = { cpuSeconds: number; bytes: number }

/** The cost of a piece of work, and the service's memory afterwards. */
async function costOf(service: Service, work: () => Promise<void>): Promise<Cost> {
  const before = cpuSeconds([service.pid])
  await work()
  return { cpuSeconds: cpuSeconds([service.pid]) - before, bytes: service.memory() }
}

const native = { mode: 'native' }

async function askOneByOne(service: Service, key: string, urls: readonly string[]): Promise<void> {
  await allOf(urls.length, AT_ONCE, async (index) => {
    await askTranscript(service.base, key, { url: urls[index], ...native })
  })
}

/** Runs the jobs as a batch, from the POST to the last byte of the ZIP. */
async function askTogether(service: Service, key: string, urls: readonly string[]): Promise<void> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const body = JSON.stringify({ operation: 'transcript', options: native, requests: urls })
  const posted = await fetch(`${service.base}/v1/batches`, { method: 'POST', headers, body })
  const { batchId } = (await posted.json()) as BatchDetails
  if (batchId === undefined) throw new Error(`the batch was answered ${posted.status}`)
  const at = `${service.base}/v1/batches/${batchId}`
  for (;;) {
    const { status, counts } = (await (await fetch(at, { headers })).json()) as BatchDetails
    if (status === 'ended' && counts.completed !== urls.length) throw new Error(`${counts.completed} have completed`)
    if (status === 'ended') break
    await pause(LOOK_EVERY_MS)
  }
  const zip = await fetch(`${at}/results?format=srt`, { headers })
  const bytes = Buffer.byteLength(Buffer.from(await zip.arrayBuffer()))
  if (!zip.ok || bytes < urls.length) throw new Error('there is no ZIP')
}

async function run(bench: Bench): Promise<Figures> {
  await using world = new Child(sandboxProcess, { directory: bench.directory })
  const outside = await world.call<Outside>('open')
  await using service = await startService(outside)
  const [one = '', other = '', warm = ''] = await keysOf(service)
  const next = unknownVideos()
  const videos = (count: number): string[] => Array.from({ length: count }, next)
  const count = 2 * Math.ceil((ITEMS / 2) * bench.scale)
  await askOneByOne(service, warm, videos(WARM))
  await askTogether(service, warm, videos(WARM))
  // Each job costs more the more jobs came before it. So half of the single jobs run before the batch, and half after
  // it.
  const half = () => costOf(service, () => askOneByOne(service, one, videos(count / 2)))
  const before = await half()
  const together = await costOf(service, () => askTogether(service, other, videos(count)))
  const after = await half()
  const aloneSeconds = before.cpuSeconds + after.cpuSeconds
  const cpu = together.cpuSeconds / aloneSeconds
  const memory = together.bytes / before.bytes
  const perItem = (seconds: number): string => `${figure((seconds * 1000) / count)} ms of CPU for each`
  return {
    rows: [
      {
        what: `a batch of ${count} captions, from the POST to the ZIP of SRT`,
        measured: perItem(together.cpuSeconds),
        against: `the same jobs, asked for one by one, ${AT_ONCE} at once, half of them before it and half after: ${perItem(aloneSeconds)}`,
        ratio: times(cpu),
        wanted: `≤ ${WANTED.cpu} ×`,
        met: cpu <= WANTED.cpu,
      },
      {
        what: 'memory of the service after it',
        measured: megabytes(together.bytes),
        against: `before it: ${megabytes(before.bytes)}`,
        ratio: times(memory),
        wanted: `≤ ${WANTED.memory} ×`,
        met: memory <= WANTED.memory,
      },
    ],
  }
}

export const batches: Part = { name: 'batches', title: 'Batches', run }
