import { setTimeout as rest } from 'node:timers/promises'
import { createSecret } from '#packages/keys/secret.ts'
import type { Client } from '#test/doubles/service/client.ts'
import { captionsOf, writePastJob } from '#test/doubles/service/past-results.ts'
import { get, openPeers } from '#test/doubles/service/peer.ts'
import { at, Setting } from '#test/doubles/service/setting.ts'
import { until } from '#test/doubles/service/until.ts'
import { figure, milliseconds, times } from '../kit/figures.ts'
import { percentile } from '../kit/percentiles.ts'
import { startTested } from '../kit/start.ts'
import type { Bench, Figures, Part, Row } from '../part.ts'
import type { Probed } from '../service/probe-process.ts'

const REST_MS = 4000
const MOST_MEMORY = 2
const HEALTH_P99_MS = 250
const MEGABYTE = 1e6

/** What one caller does to a service. Resolves when it has done it; what it holds open ends with the signal. */
type Attack = {
  what: string
  prepare?(setting: Setting): Promise<void>
  run(setting: Setting, me: Client): Promise<void>
}

const probe = new URL('../service/probe-process.ts', import.meta.url)

/** Opens connections that send these bytes and read nothing, and holds them for as long as the service lets it. */
async function unread({ service }: Setting, connections: number, bytes: string): Promise<void> {
  const peers = await openPeers(service.base, connections)
  for (const peer of peers) peer.write(bytes)
  await rest(REST_MS)
  for (const peer of peers) peer[Symbol.dispose]()
}

const attacksOf = (scale: number): Attack[] => [
  {
    what: 'one connection that asks for the same file 1,500 times and reads nothing',
    run: (setting) => unread(setting, 1, get('/docs/swagger-ui-bundle.js').repeat(1500)),
  },
  {
    what: `${figure(4000 * scale)} connections that do not read their answers`,
    run: (setting) => unread(setting, 4000 * scale, get('/docs/swagger-ui-bundle.js')),
  },
  {
    what: 'schemas of 33 kB with fifty wide patterns, twenty of them',
    async run(_setting, me) {
      const pattern = `(?i)${'[B-U\\u{1E900}]'.repeat(33)}`
      const properties = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`p${n}`, { pattern }]))
      const request = (n: number) => ({ url: at('/a.mp4'), prompt: 'x', schema: { title: `${n}`, properties } })
      await Promise.all(Array.from({ length: 20 }, (_, n) => me.post('/v1/extract', request(n))))
    },
  },
  {
    what: 'sixty batches of 100 calls to /mcp under made-up keys',
    async run({ service }) {
      const call = {
        jsonrpc: '2.0',
        method: 'tools/call',
        params: { name: 'get_video_metadata', arguments: { url: 'x' } },
      }
      const body = JSON.stringify(Array.from({ length: 100 }, (_, id) => ({ ...call, id })))
      for (let n = 0; n < 60; n++) {
        const headers = { 'content-type': 'application/json', accept: 'application/json', 'x-api-key': createSecret() }
        await fetch(`${service.base}/mcp`, { method: 'POST', headers, body }).then((answer) => answer.arrayBuffer())
      }
    },
  },
  {
    what: 'lists of 50 jobs with results of 1.9 MB, one after another',
    async prepare(setting) {
      const backDoor = await setting.backDoor()
      const { orgId } = (await (await setting.client()).get('/v1/me')).body as { orgId: string }
      const results = [captionsOf(1_900_000)]
      for (let n = 0; n < 50 * scale; n++)
        await writePastJob(backDoor, { orgId, kind: 'transcript', results, ends: true })
    },
    async run(_setting, me) {
      for (let n = 0; n < 100; n++) await me.get('/v1/jobs?limit=100')
    },
  },
]

async function measure(bench: Bench, attack: Attack): Promise<Row[]> {
  const env = { RATE_HEAVY_FACTOR: '100', RATE_LIGHT_PER_MINUTE: '100000', LLM_BASE_URL: 'http://127.0.0.1:9/v1' }
  await using setting = await Setting.start({ speech: null, env })
  const me = await setting.client()
  await attack.prepare?.(setting)
  await until('the service is ready', async () => (await me.get('/ready')).status === 200, { seconds: 60 })
  await rest(REST_MS)
  const { base, pid } = setting.service
  const watch = async (work: () => Promise<void>): Promise<Probed> => {
    await using child = startTested(bench, probe)
    await child.call('begin', { base, pid })
    await work()
    return await child.call<Probed>('end')
  }
  const atRest = await watch(() => rest(REST_MS))
  const attacked = await watch(() => attack.run(setting, me))
  const ratio = attacked.memory / atRest.memory
  const p99 = percentile(attacked.latencies, 0.99)
  return [
    {
      what: `${attack.what}: memory of the service's own process`,
      measured: `${figure(attacked.memory / MEGABYTE)} MB`,
      against: `at rest: ${figure(atRest.memory / MEGABYTE)} MB`,
      ratio: times(ratio),
      wanted: `≤ ${MOST_MEMORY} ×`,
      met: ratio <= MOST_MEMORY,
    },
    {
      what: 'the same: p99 of /health',
      measured: milliseconds(p99),
      against: `at rest: ${milliseconds(percentile(atRest.latencies, 0.99))}`,
      wanted: `≤ ${HEALTH_P99_MS} ms`,
      met: p99 <= HEALTH_P99_MS,
    },
  ]
}

async function run(bench: Bench): Promise<Figures> {
  const rows: Row[] = []
  for (const attack of attacksOf(bench.scale)) rows.push(...(await measure(bench, attack)))
  return { rows }
}

export const attacks: Part = { name: 'attacks', title: 'Attacks by one caller', run }
