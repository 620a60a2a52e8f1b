import { expect } from 'chai'
import type { Client } from '#test/doubles/service/client.ts'
import { at } from '#test/doubles/service/setting.ts'

/** Pings a webhook at a server without TLS: each attempt is made, and fails at once. @returns its address */
export async function pingInVain(me: Client, times = 1): Promise<string> {
  const url = at('/hook').replace('http:', 'https:')
  const { body, text } = await me.post('/v1/webhooks', { url, events: ['job.failed'] })
  for (let n = 0; n < times; n++) expect((await me.post(`/v1/webhooks/${body.id}/ping`, {})).status, text).to.equal(202)
  return url
}
