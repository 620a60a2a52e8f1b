import { setTimeout as rest } from 'node:timers/promises'
import { rendererPath } from '#services/ingress/routes/docs/reference.ts'
import { get, openPeers } from '#test/doubles/service/peer.ts'
import { at, Setting } from '#test/doubles/service/setting.ts'
import { figure, milliseconds, times } from '../../kit/figures.ts'
import { FLOODS_FROM, flood } from '../../kit/flood.ts'
import { percentile } from '../../kit/percentiles.ts'
import { startTested } from '../../kit/start.ts'
import type { Bench, Row } from '../../part.ts'
import type { Worked } from '../../service/customer-process.ts'
import { heavyPages, heavyPolls, memberWithResults } from '../../service/member.ts'

const ALONE_MS = 60_000
const BESIDE_MS = 600_000
const MOST_P99 = 3

const customerProcess = new URL('../../service/customer-process.ts', import.meta.url)

/** All attacks that anonymous callers and one member can make, at once, until the signal is aborted. */
async function floods(setting: Setting, scale: number, signal: AbortSignal): Promise<void> {
  const { base } = setting.service
  const [member, eve] = [await memberWithResults(setting), await setting.client({ plan: 'pro' })]
  const asks = (connections: number, requests: readonly string[]) => flood(base, { connections, requests }, signal)
  const unread = async (): Promise<void> => {
    while (!signal.aborted) {
      const peers = await openPeers(base, 300 * scale, FLOODS_FROM)
      for (const peer of peers) peer.write(get(rendererPath).repeat(20))
      await rest(5000, undefined, { signal }).catch(() => undefined)
      for (const peer of peers) peer[Symbol.dispose]()
    }
  }
  const requests = async (): Promise<void> => {
    for (let n = 0; !signal.aborted; n++) {
      const properties = Object.fromEntries(Array.from({ length: 400 }, (_, p) => [`p${p}`, { type: 'string' }]))
      const extraction = { url: at('/captioned.mp4'), prompt: `${n}`, schema: { properties } }
      await Promise.all([
        eve.post('/v1/extract', extraction),
        eve.post('/v1/transcript', { url: at('/captioned.mp4'), mode: 'native' }),
        eve.post('/v1/transcript', { url: at('/no-such-file.mp4') }),
      ])
      await rest(200)
    }
  }
  await Promise.all([
    asks(200 * scale, ['GET /dashboard/sign-up HTTP/1.1', 'GET /v1/me HTTP/1.1', 'GET /docs HTTP/1.1']),
    asks(200 * scale, heavyPages(member)),
    asks(200 * scale, heavyPolls(member)),
    asks(50 * scale, [`GET /v1/jobs?limit=100 HTTP/1.1\r\nX-API-Key: ${eve.key}`]),
    unread(),
    requests(),
  ])
}

/**
 * One customer's normal work, alone and then during ten minutes of all floods together. The limits are those of a new
 * service.
 */
export async function mixedFloods(bench: Bench): Promise<Row[]> {
  const { scale } = bench
  const env = { LLM_BASE_URL: 'http://127.0.0.1:9/v1' }
  await using setting = await Setting.start({ speech: null, media: ['captioned.mp4'], env })
  const customer = await setting.client({ plan: 'pro' })
  const work = async (forMs: number): Promise<Worked> => {
    await using child = startTested(bench, customerProcess)
    await child.call('begin', { base: setting.service.base, key: customer.key })
    await rest(forMs)
    return await child.call<Worked>('end')
  }
  const alone = await work(ALONE_MS * scale)
  const over = new AbortController()
  const flooding = floods(setting, scale, over.signal)
  const beside = await work(BESIDE_MS * scale).finally(() => over.abort())
  await flooding
  const [before, p99] = [percentile(alone.accepts, 0.99), percentile(beside.accepts, 0.99)]
  const longest = ({ jobs }: Worked): string => milliseconds(Math.max(...jobs))
  return [
    {
      what: `a customer's ${figure(beside.accepts.length)} jobs beside all floods at once (${figure(BESIDE_MS * scale * 0.001)} s): lost or late; the longest`,
      measured: `${beside.lost}; ${longest(beside)}`,
      against: `alone: ${alone.lost}; ${longest(alone)}`,
      wanted: '0',
      met: beside.lost === 0,
    },
    {
      what: 'the same: p99 of its accepts',
      measured: milliseconds(p99),
      against: `alone: ${milliseconds(before)}`,
      ratio: times(p99 / before),
      wanted: `≤ ${MOST_P99} ×`,
      met: p99 / before <= MOST_P99,
    },
  ]
}
