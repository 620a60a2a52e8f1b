/** A service with stored results and keys, as large and as many as they may be, and the customer who has them. */

import { createKey } from '#packages/accounts/keys/create-key.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { times } from '#packages/content/extraction/schema/accepted-schemas.fixture.ts'
import { newTraceparent } from '#packages/telemetry/traceparent.ts'
import type { Client } from '#test/doubles/service/client.ts'
import { captionsOf, writePastJob } from '#test/doubles/service/past-results.ts'
import { at, Setting } from '#test/doubles/service/setting.ts'
import { until } from '#test/doubles/service/until.ts'
import type { Holdings } from './heaviest.ts'

const MAX_KEYS = 1000
const KEYS = MAX_KEYS - 2
const RESULT_BYTES = 1_900_000
const PAST_JOBS = 30
const ITEMS = 500

export async function startHeavySetting(): Promise<Setting> {
  const rates = { RATE_LIGHT_PER_MINUTE: '100000', RATE_POLLS_PER_MINUTE: '100000', RATE_HEAVY_FACTOR: '1000' }
  return Setting.start({ speech: null, env: { ...rates, LLM_BASE_URL: 'http://127.0.0.1:9/v1' } })
}

/** Writes the most that an organization may hold, and waits until it is shown. */
export async function holdingsOf(setting: Setting, me: Client): Promise<Holdings> {
  const backDoor = await setting.backDoor()
  const { orgId } = me
  const past = { orgId, ends: true, results: [captionsOf(RESULT_BYTES)] }
  const otherIds: string[] = []
  for (let n = 1; n < PAST_JOBS; n++) otherIds.push(await writePastJob(backDoor, { ...past, kind: 'transcript' }))
  const transcriptId = await writePastJob(backDoor, { ...past, kind: 'transcript' })
  const data = {
    result: { list: times(16_000, (n) => ({ n, text: 'a word or two' })) },
    model: 'stand-in',
    rounds: 1,
  }
  const hashes = { promptHash: '0'.repeat(64), schemaHash: null, framesUsed: 0, tokens: { input: 1, output: 1 } }
  const results = [{ type: 'ExtractionProduced', data: { ...data, ...hashes } } as const]
  const extractionId = await writePastJob(backDoor, { ...past, kind: 'extraction', results })
  const metadata = { orgId, correlationId: orgId, causationId: orgId, traceparent: newTraceparent(true) }
  const ports = { store: backDoor.store, clock, ids }
  const made = await Promise.all(times(KEYS, (n) => createKey(ports, `key ${n}`, metadata)))
  const webhook = await me.post('/v1/webhooks', { url: 'https://127.0.0.1:9/hook', events: ['job.failed'] })
  const deliveries = await Promise.all(times(PAST_JOBS, () => me.post(`/v1/webhooks/${webhook.body.id}/ping`, {})))
  const deliveryIds = deliveries.map(({ body }) => body.deliveryId ?? '')
  const many = { operation: 'transcript', options: { mode: 'native' }, requests: times(ITEMS, (n) => at(`/${n}.mp4`)) }
  const batch = await me.post('/v1/batches', many)
  const cancelled = await me.delete(`/v1/batches/${batch.body.batchId}`)
  if (cancelled.status !== 200) throw new Error(`no batch: ${batch.text} ${cancelled.text}`)
  const watch = await me.post('/v1/watches', { source: { type: 'channel', handle: 'longshelf' }, every: '1d' })
  const large = { batchId: batch.body.batchId ?? '', watchId: watch.body.watchId ?? '' }
  const webhooks = { webhookId: webhook.body.id ?? '', deliveryIds }
  const held = { transcriptId, extractionId, keyIds: made.map(({ keyId }) => keyId), otherIds, ...webhooks, ...large }
  await until('everything is shown', async () => {
    const [extraction, keys] = [await me.get(`/v1/extract/${extractionId}`), await me.get('/v1/keys')]
    return extraction.body.status === 'completed' && JSON.parse(keys.text).length === KEYS + 1
  })
  return held
}
