import { setTimeout as rest } from 'node:timers/promises'
import { Setting } from '#test/doubles/service/setting.ts'
import { until } from '#test/doubles/service/until.ts'
import { megabytes, milliseconds, times } from '../kit/figures.ts'
import { percentile } from '../kit/percentiles.ts'
import { startTested } from '../kit/start.ts'
import type { Bench, Figures, Part, Row } from '../part.ts'
import type { Probed } from '../service/probe-process.ts'
import { mixedFloods } from './attacks/mixed-floods.ts'
import { type Attack, attacksOf } from './attacks/one-caller.ts'

const REST_MS = 4000
const MOST_MEMORY = 2
const HEALTH_P99_MS = 250

const probe = new URL('../service/probe-process.ts', import.meta.url)

async function measure(bench: Bench, attack: Attack): Promise<Row[]> {
  const env = {
    RATE_HEAVY_FACTOR: '100',
    RATE_LIGHT_PER_MINUTE: '100000',
    RATE_POLLS_PER_MINUTE: '100000',
    LLM_BASE_URL: 'http://127.0.0.1:9/v1',
  }
  await using setting = await Setting.start({ speech: null, env })
  const me = await setting.client()
  const run = await attack.prepare(setting, me)
  await until('the service is ready', async () => (await me.get('/ready')).status === 200, { seconds: 60 })
  await rest(REST_MS)
  const { base, pid } = setting.service
  const watch = async (work: () => Promise<unknown>): Promise<Probed> => {
    await using child = startTested(bench, probe)
    await child.call('begin', { base, pid })
    await work()
    return await child.call<Probed>('end')
  }
  const atRest = await watch(() => rest(REST_MS))
  const attacked = await watch(run)
  const ratio = attacked.memory / atRest.memory
  const p99 = percentile(attacked.latencies, 0.99)
  return [
    {
      what: `${attack.what}: memory of the service's own process`,
      measured: megabytes(attacked.memory),
      against: `at rest: ${megabytes(atRest.memory)}`,
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
  rows.push(...(await mixedFloods(bench)))
  return { rows }
}

export const attacks: Part = { name: 'attacks', title: 'Attacks by one caller', run }
