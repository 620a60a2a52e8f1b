import { setTimeout as rest } from 'node:timers/promises'
import { createSecret } from '#packages/accounts/keys/secret.ts'
import { rendererPath } from '#services/ingress/routes/docs/reference.ts'
import type { Client } from '#test/doubles/service/client.ts'
import { captionsOf, writePastJob } from '#test/doubles/service/past-results.ts'
import { get, openPeers } from '#test/doubles/service/peer.ts'
import { at, type Setting } from '#test/doubles/service/setting.ts'
import { until } from '#test/doubles/service/until.ts'
import { figure } from '../../kit/figures.ts'
import { flood } from '../../kit/flood.ts'
import { heavyPages, heavyPolls, type Member, memberWithResults } from '../../service/member.ts'

/**
 * One caller's attack on a service. It resolves when the attack is made. Connections that it holds open end with the
 * signal.
 */
export type Attack = { what: string; prepare(setting: Setting, me: Client): Promise<() => Promise<unknown>> }

const REST_MS = 4000
const FLOOD_MS = 10_000

/** Opens connections that send these bytes and read nothing, and holds them for as long as the service allows. */
async function unread({ service }: Setting, connections: number, bytes: string): Promise<void> {
  const peers = await openPeers(service.base, connections)
  for (const peer of peers) peer.write(bytes)
  await rest(REST_MS)
  for (const peer of peers) peer[Symbol.dispose]()
}

/** An attack that holds this many connections at once, and reads the answers. */
const flooding = (what: string, connections: number, requestsOf: (member: Member) => string[]): Attack => ({
  what: `${figure(connections)} connections at once, ${what}`,
  async prepare(setting) {
    const requests = requestsOf(await memberWithResults(setting))
    return () => flood(setting.service.base, { connections, requests }, AbortSignal.timeout(FLOOD_MS))
  },
})

export const attacksOf = (scale: number): Attack[] => [
  {
    what: 'one connection that asks for the same file 1,500 times and reads nothing',
    prepare: async (setting) => () => unread(setting, 1, get(rendererPath).repeat(1500)),
  },
  {
    what: `${figure(4000 * scale)} connections that do not read their answers`,
    prepare: async (setting) => () => unread(setting, 4000 * scale, get(rendererPath)),
  },
  flooding('which ask for a page without a key', 2000 * scale, () => ['GET /dashboard/sign-up HTTP/1.1']),
  flooding('of one member: page, search, `.json` and `.srt` of results of 2 MB', 8, heavyPages),
  flooding('of one member: the same', 2000 * scale, heavyPages),
  flooding('of one key: results of 2 MB as JSON and as WebVTT', 2000 * scale, heavyPolls),
  {
    what: 'schemas of 33 kB with fifty wide patterns, twenty of them',
    async prepare(_setting, me) {
      const pattern = `(?i)${'[B-U\\u{1E900}]'.repeat(33)}`
      const properties = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`p${n}`, { pattern }]))
      const request = (n: number) => ({ url: at('/a.mp4'), prompt: 'x', schema: { title: `${n}`, properties } })
      return () => Promise.all(Array.from({ length: 20 }, (_, n) => me.post('/v1/extract', request(n))))
    },
  },
  {
    what: 'sixty batches of 100 calls to /mcp under made-up keys',
    async prepare({ service }) {
      const call = {
        jsonrpc: '2.0',
        method: 'tools/call',
        params: { name: 'get_video_metadata', arguments: { url: 'x' } },
      }
      const body = JSON.stringify(Array.from({ length: 100 }, (_, id) => ({ ...call, id })))
      return async () => {
        for (let n = 0; n < 60; n++) {
          const key = { 'x-api-key': createSecret() }
          const headers = { 'content-type': 'application/json', accept: 'application/json', ...key }
          await fetch(`${service.base}/mcp`, { method: 'POST', headers, body }).then((answer) => answer.arrayBuffer())
        }
      }
    },
  },
  {
    what: 'lists of 50 jobs with results of 1.9 MB, one after another',
    async prepare(setting, me) {
      const backDoor = await setting.backDoor()
      const past = { orgId: me.orgId, kind: 'transcript', results: [captionsOf(1_900_000)], ends: true } as const
      let last = ''
      for (let n = 0; n < 50 * scale; n++) last = await writePastJob(backDoor, past)
      await until('the last is shown', async () => (await me.get(`/v1/transcript/${last}`)).body.status === 'completed')
      return async () => {
        for (let n = 0; n < 100; n++) await me.get('/v1/jobs?limit=100')
      }
    },
  },
]
