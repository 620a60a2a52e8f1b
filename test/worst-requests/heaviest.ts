/** The heaviest requests that the limits of each route let through. */
import openapi from '#contracts/generated/openapi.json' with { type: 'json' }
import { times } from '#packages/content/extraction/schema/accepted-schemas.fixture.ts'
import type { Headings } from '#test/doubles/service/client.ts'
import { at } from '#test/doubles/service/setting.ts'

/** Stored results, keys and a webhook to request, as large as they may be. */
export type Holdings = {
  transcriptId: string
  extractionId: string
  keyIds: string[]
  otherIds: string[]
  webhookId: string
  deliveryIds: string[]
  batchId: string
  watchId: string
}

export type Heavy = { path: string; body?: string; headers?: Headings }

/** Room for one header, bytes: all headers together may have 16 KiB. */
const HEADER = 14_000
export const fill = (piece: string, length: number): string => piece.repeat(Math.floor(length / piece.length))
const json = { 'content-type': 'application/json' }

/** Headers that take long to parse, each in another parser. */
const headings: Headings[] = [
  { accept: fill('text/x;q=0.5,', HEADER) },
  { accept: `"${fill('a/b,', HEADER)}` },
  { accept: `text/vtt;${fill(';charset=', HEADER)}` },
  { 'if-none-match': fill('W/"x",', HEADER) },
  { prefer: `${fill('wait=', HEADER)}1` },
  { 'x-request-id': fill('a', HEADER / 2), traceparent: fill('0', HEADER / 2) },
]

/** URLs of 2,048 characters that take long to parse, each in another way. */
const urls = [
  `https://www.facebook.com/${fill('a/', 1900)}videos/`,
  `https://www.youtube.com/attribution_link?u=${encodeURIComponent(`/watch?${fill('v=&', 900)}`)}`,
  `https://cdn.example.com/watch?${fill('a&', 1900)}`,
  `https://cdn.example.com/@${fill('/status', 1900)}`,
  `https://cdn.example.com/a?${fill('a=https://x.com&', 1900)}`,
  `https://${fill('youtube.com.', 200)}example.com/${fill('%2e', 1500)}`,
  `https://www.tiktok.com/@${fill('.', 60)}/video/${fill('1', 1900)}`,
  `https://${fill('xn--80ak6aa92e.', 200)}com/`,
  fill('a', 2048),
]
const names = [fill('.', 2000), fill('a.', 2000), `${fill(' ', 1000)}@${fill('_', 1000)}`]

/** Bodies of 64 KiB. */
const bodies = (more: string): string[] => [
  `{${more},${times(7000, (n) => `"${n.toString(36)}":1`).join()}}`,
  `{${more},"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`,
  `{${more},${fill('"__proto__":{},', 60_000)}"a":1}`,
  `{${more},"lang":"en${fill('-a', 60_000)}"}`,
  `{${more},"name":"${fill('\\u0020', 60_000)}"}`,
  `[${fill('0,', 60_000)}0]`,
]

/** The largest schema that is accepted, in several forms. */
const schemas = [
  { properties: Object.fromEntries(times(499, (n) => [`p${n}`, { type: 'string', format: 'uri', minLength: 1 }])) },
  { properties: Object.fromEntries(times(50, (n) => [`p${n}`, { pattern: `(?i)${'[a-z]'.repeat(80)}` }])) },
  { properties: { a: { enum: times(5000, (n) => n) } }, required: times(300, (n) => `${n}`) },
  { allOf: times(499, (n) => ({ title: `${n}` })) },
]

const query = (words: Record<string, string>): string => `?${fill('a&', 8000)}&${new URLSearchParams(words)}`
const withHeadings = (path: string): Heavy[] => headings.map((headers) => ({ path, headers }))
const postTo = (path: string, texts: string[]): Heavy[] => texts.map((body) => ({ path, body, headers: json }))

const methods = ['get', 'post', 'put', 'patch', 'delete']

/** The routes in the OpenAPI document, such as `get /v1/me`. */
export const documentedRoutes = Object.entries(openapi.paths).flatMap(([path, operations]) =>
  Object.keys(operations)
    .filter((name) => methods.includes(name))
    .map((method) => `${method} ${path}`),
)

/** By method and route, as in the OpenAPI document. */
export const heaviest: Record<string, (held: Holdings) => Heavy[]> = {
  'get /health': () => withHeadings('/health'),
  'get /ready': () => withHeadings('/ready'),
  'get /v1/me': () => withHeadings(`/v1/me`),
  'get /v1/metadata': () => urls.map((url) => ({ path: `/v1/metadata${query({ url })}` })),
  'get /v1/search': () =>
    [fill('ß', 500), fill('"', 500), fill('😀', 500), fill('#a ', 500)].map((q) => ({
      path: `/v1/search${query({ q, limit: '20' })}`,
    })),
  'get /v1/tiktok/profile': () => [
    ...names.map((username) => ({ path: `/v1/tiktok/profile?${new URLSearchParams({ username })}` })),
    ...urls.map((url) => ({ path: `/v1/tiktok/profile${query({ url })}` })),
  ],
  'get /v1/instagram/profile': () => [
    ...names.map((username) => ({ path: `/v1/instagram/profile?${new URLSearchParams({ username })}` })),
    ...urls.map((url) => ({ path: `/v1/instagram/profile${query({ url })}` })),
  ],
  'get /v1/platforms': () => withHeadings('/v1/platforms'),
  'get /v1/youtube/channel': () => [
    ...names.map((handle) => ({ path: `/v1/youtube/channel?${new URLSearchParams({ handle })}` })),
    ...urls.map((url) => ({ path: `/v1/youtube/channel${query({ url })}` })),
    { path: `/v1/youtube/channel?${new URLSearchParams({ handle: 'longshelf', cursor: fill('A', 6000) })}` },
  ],
  'get /v1/youtube/playlist': () => [
    ...urls.map((url) => ({ path: `/v1/youtube/playlist${query({ url })}` })),
    { path: `/v1/youtube/playlist?${new URLSearchParams({ id: 'PLlongShelf', cursor: fill('A', 6000) })}` },
  ],
  'post /v1/transcript': () => [
    ...postTo('/v1/transcript', bodies(`"url":"${at('/a.mp4')}"`)),
    ...urls.map((url) => ({ path: '/v1/transcript', body: JSON.stringify({ url }), headers: json })),
  ],
  'get /v1/transcript/{jobId}': ({ transcriptId }) => [
    ...withHeadings(`/v1/transcript/${transcriptId}`),
    { path: `/v1/transcript/${transcriptId}`, headers: { accept: 'text/vtt' } },
    { path: `/v1/transcript/${transcriptId}`, headers: { accept: 'application/x-subrip' } },
    { path: `/v1/transcript/${fill('%41', HEADER)}` },
  ],
  'get /v1/jobs': () => [
    { path: `/v1/jobs${query({ limit: '100' })}` },
    { path: `/v1/jobs?${new URLSearchParams({ limit: '100', cursor: fill('A', 128) })}` },
    { path: `/v1/jobs?${new URLSearchParams({ limit: '100', idempotencyKey: fill('~', 255) })}` },
  ],
  'get /v1/jobs/{jobId}': ({ transcriptId, extractionId }) => [
    ...withHeadings(`/v1/jobs/${transcriptId}`),
    { path: `/v1/jobs/${extractionId}` },
    { path: `/v1/jobs/${fill('%41', HEADER)}` },
  ],
  'delete /v1/jobs/{jobId}': ({ transcriptId, extractionId }) => [
    { path: `/v1/jobs/${transcriptId}` },
    { path: `/v1/jobs/${extractionId}` },
  ],
  'get /v1/jobs/{jobId}/events': ({ transcriptId, extractionId }) => [
    { path: `/v1/jobs/${transcriptId}/events` },
    { path: `/v1/jobs/${extractionId}/events`, headers: { accept: 'text/event-stream' } },
  ],
  'get /v1/usage': () =>
    ['day', 'operation', 'key', 'platform'].map((groupBy) => ({ path: `/v1/usage${query({ groupBy })}` })),
  'get /v1/credits': () => withHeadings('/v1/credits'),
  'get /v1/credits/transactions': () => [
    { path: `/v1/credits/transactions${query({ limit: '500' })}` },
    { path: `/v1/credits/transactions${query({ limit: '500' })}`, headers: { accept: 'text/csv' } },
  ],
  'post /v1/estimate': () => [
    ...postTo('/v1/estimate', bodies(`"url":"${at('/a.mp4')}"`)),
    ...schemas.map((schema) => ({
      path: '/v1/estimate',
      body: JSON.stringify({ url: at('/a.mp4'), prompt: fill('ß', 8000), schema }),
      headers: json,
    })),
  ],
  'post /v1/extract': () => [
    ...postTo('/v1/extract', bodies(`"url":"${at('/a.mp4')}","prompt":"x"`)),
    ...schemas.map((schema) => ({
      path: '/v1/extract',
      body: JSON.stringify({ url: at('/a.mp4'), prompt: fill('ß', 8000), schema }),
      headers: { ...json, 'idempotency-key': fill('~', 255) },
    })),
  ],
  'get /v1/extract/{jobId}': ({ extractionId }) => withHeadings(`/v1/extract/${extractionId}`),
  'get /v1/keys': () => withHeadings('/v1/keys'),
  'post /v1/keys': () => [
    ...postTo('/v1/keys', bodies('"b":1')),
    ...postTo('/v1/keys', [JSON.stringify({ name: `${fill(' ', 60_000)}😀` })]),
  ],
  'delete /v1/keys/{id}': ({ keyIds }) => [
    ...keyIds.slice(0, 3).map((id) => ({ path: `/v1/keys/${id}` })),
    { path: `/v1/keys/${fill('%F0%9F%98%80', HEADER)}` },
  ],
  'delete /v1/jobs/{jobId}/content': ({ otherIds }) => [
    ...otherIds.slice(0, 3).map((id) => ({ path: `/v1/jobs/${id}/content` })),
    { path: `/v1/jobs/${fill('%41', HEADER)}/content` },
  ],
  'get /v1/batches': () => [{ path: `/v1/batches${query({ limit: '100' })}` }],
  'post /v1/batches': () => [
    ...postTo('/v1/batches', bodies(`"operation":"transcript","requests":["${at('/a.mp4')}"]`)),
    ...postTo('/v1/batches', [
      `{"operation":"transcript","requests":[${fill('[],', 9_900_000)}[]]}`,
      JSON.stringify({ operation: 'transcript', requests: times(2000, (n) => `nothing ${n}`) }),
      JSON.stringify({ operation: 'transcript', requests: times(2000, (n) => `${urls[n % urls.length]}${n}`) }),
    ]),
  ],
  'get /v1/batches/{id}': ({ batchId }) => withHeadings(`/v1/batches/${batchId}`),
  'get /v1/batches/{id}/items': ({ batchId }) => [
    { path: `/v1/batches/${batchId}/items${query({ limit: '100' })}` },
    { path: `/v1/batches/${batchId}/items${query({ limit: '100', state: 'failed' })}` },
  ],
  'get /v1/batches/{id}/results': ({ batchId }) =>
    ['ndjson', 'csv', 'srt'].map((format) => ({ path: `/v1/batches/${batchId}/results${query({ format })}` })),
  'get /v1/batches/{id}/events': ({ batchId }) => [{ path: `/v1/batches/${batchId}/events` }],
  'delete /v1/batches/{id}': ({ batchId }) => [{ path: `/v1/batches/${batchId}` }],
  'get /v1/watches': () => withHeadings('/v1/watches'),
  'post /v1/watches': () => [
    ...postTo('/v1/watches', bodies('"source":{"type":"channel","handle":"longshelf"},"every":"1d"')),
    ...postTo(
      '/v1/watches',
      urls.map((url) => JSON.stringify({ source: { type: 'channel', url }, every: '1d' })),
    ),
  ],
  'get /v1/watches/{id}': ({ watchId }) => withHeadings(`/v1/watches/${watchId}`),
  'patch /v1/watches/{id}': ({ watchId }) => postTo(`/v1/watches/${watchId}`, bodies('"every":"1d"')),
  'get /v1/watches/{id}/found': ({ watchId }) => [{ path: `/v1/watches/${watchId}/found${query({ limit: '100' })}` }],
  'delete /v1/watches/{id}': ({ watchId }) => [{ path: `/v1/watches/${watchId}` }],
  'get /v1/webhooks': () => withHeadings('/v1/webhooks'),
  'post /v1/webhooks': () => [
    ...postTo('/v1/webhooks', bodies('"events":["job.completed"],"url":"https://hooks.example.com"')),
    ...postTo(
      '/v1/webhooks',
      urls.map((url) => JSON.stringify({ url, events: ['job.completed'] })),
    ),
  ],
  'post /v1/webhooks/secret': () => postTo('/v1/webhooks/secret', bodies('"b":1')),
  'get /v1/webhooks/{id}': ({ webhookId }) => withHeadings(`/v1/webhooks/${webhookId}`),
  'patch /v1/webhooks/{id}': ({ webhookId }) => postTo(`/v1/webhooks/${webhookId}`, bodies('"events":["job.failed"]')),
  'get /v1/webhooks/{id}/deliveries': ({ webhookId }) => [
    { path: `/v1/webhooks/${webhookId}/deliveries${query({ limit: '100' })}` },
    { path: `/v1/webhooks/${webhookId}/deliveries?${new URLSearchParams({ cursor: fill('A', 6000) })}` },
  ],
  'post /v1/webhooks/{id}/deliveries/{deliveryId}/redeliver': ({ webhookId, deliveryIds }) =>
    deliveryIds.slice(0, 3).map((id) => ({ path: `/v1/webhooks/${webhookId}/deliveries/${id}/redeliver`, body: '' })),
  'post /v1/webhooks/{id}/ping': ({ webhookId }) => postTo(`/v1/webhooks/${webhookId}/ping`, bodies('"b":1')),
  'post /v1/webhooks/{id}/replay': ({ webhookId }) =>
    postTo(`/v1/webhooks/${webhookId}/replay`, [...bodies('"b":1'), '{"from":"2026-01-01T00:00:00Z"}']),
  'post /v1/webhooks/{id}/rotate': ({ webhookId }) => postTo(`/v1/webhooks/${webhookId}/rotate`, bodies('"b":1')),
  'delete /v1/webhooks/{id}': ({ webhookId }) => [{ path: `/v1/webhooks/${webhookId}` }],
}
