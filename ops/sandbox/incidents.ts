import { once } from 'node:events'
import { appendFile, rm, statfs } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openViewsFile } from '#packages/adapters/sqlite/views-file.ts'
import { viewsDefinition as definition } from '#packages/events/views/views-definition.ts'
import type { DataDirectory } from '#services/host/data-directory.ts'
import type { Disturbance } from '#services/sandbox/disturbance.ts'
import { MODELS_HOST } from '#services/sandbox/llm/stand-in-models.ts'
import { ORDERS } from '#services/sandbox/sandbox.ts'
import type { Question, Questions } from './customers.ts'

/** The place of an incident: the service's data, and its outside world. */
type Place = { data: DataDirectory; sandboxUrl: string }

/** The incident, and the customers' questions meanwhile. */
export type Incident = Questions & {
  what: string
  /** Begins it. Disposing of the result ends it. @throws Error it cannot happen here */
  begin(place: Place): Promise<AsyncDisposable>
}

/** The largest disk that may be filled, bytes. */
const SMALL_DISK = 1024 ** 3
const PIECE = Buffer.alloc(1024 ** 2)

/** More than any job's window on a game day. */
const SLOW_SECONDS = 60

/** Each question is about another file, so that no earlier work is reused. */
const transcript = (n: number, mode: 'native' | 'generate'): Question => ({
  path: '/v1/transcript',
  body: { url: `http://films.example.com/sense-and-sensibility.mp4?asked=${Date.now()}-${n}`, mode },
})

const metadata = (n: number): Question => {
  const video = `https://www.youtube.com/watch?v=${`asked${n}`.padEnd(11, '_')}`
  return { path: `/v1/metadata?url=${encodeURIComponent(video)}` }
}

export const incidents: Readonly<Record<string, Incident>> = {
  breaker: {
    what: 'YouTube refuses whoever asks',
    begin: ({ sandboxUrl }) =>
      order(sandboxUrl, { host: 'www.youtube.com', how: { kind: 'answer', status: 429, body: 'Too Many Requests' } }),
    question: metadata,
    everyMs: 300,
  },
  'slow-speech': {
    what: `the speech endpoint takes ${SLOW_SECONDS} s for each answer`,
    begin: ({ sandboxUrl }) =>
      order(sandboxUrl, {
        host: MODELS_HOST,
        path: '/v1/audio/transcriptions',
        how: { kind: 'slow', seconds: SLOW_SECONDS },
      }),
    question: (n) => transcript(n, 'generate'),
    everyMs: 1000,
  },
  'full-disk': {
    what: 'the disk of DATA_DIR is full',
    begin: fillDisk,
    question: (n) => transcript(n, 'native'),
    everyMs: 500,
  },
  flood: {
    what: 'customers post jobs as fast as they can',
    begin: async () => ({ async [Symbol.asyncDispose]() {} }),
    question: (n) => transcript(n, 'native'),
    everyMs: 20,
  },
  views: {
    what: 'a program empties the views and holds their file',
    begin: holdViews,
    question: (n) => (n % 2 === 0 ? transcript(n, 'native') : { path: '/v1/jobs' }),
    everyMs: 500,
  },
}

/** Orders a disturbance of the sandbox. It lasts as long as the connection. */
async function order(sandboxUrl: string, disturbance: Disturbance): Promise<AsyncDisposable> {
  const sent = request(new URL(ORDERS, sandboxUrl), { method: 'POST', headers: { 'content-type': 'application/json' } })
  const answered = once(sent, 'response')
  sent.end(JSON.stringify(disturbance))
  const [{ statusCode }] = await answered
  if (statusCode !== 200) throw new Error(`the sandbox answered ${statusCode}`)
  // The service may be stopped first.
  sent.on('error', () => {})
  return {
    async [Symbol.asyncDispose]() {
      sent.destroy()
    },
  }
}

/** Fills the disk and keeps it full. */
async function fillDisk({ data: { path } }: Place): Promise<AsyncDisposable> {
  const { blocks, bsize } = await statfs(path)
  if (blocks * bsize > SMALL_DISK)
    throw new Error(
      `${path} is on a disk of ${Math.round((blocks * bsize) / SMALL_DISK)} GiB, which others use too: see ops/gameday.md`,
    )
  const file = join(path, 'fills-the-disk')
  const end = new AbortController()
  const fill = async (): Promise<void> => {
    for (;;) await appendFile(file, PIECE)
  }
  const keepFull = async (): Promise<void> => {
    while (!end.signal.aborted) {
      await fill().catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOSPC') throw error
      })
      await sleep(200, undefined, { signal: end.signal }).catch(() => undefined)
    }
  }
  const full = keepFull()
  return {
    async [Symbol.asyncDispose]() {
      end.abort()
      await full.finally(() => rm(file, { force: true }))
    },
  }
}

/** Empties the views; the service sees that at the end. Until then no other process can write into their file. */
async function holdViews({ data }: Place): Promise<AsyncDisposable> {
  const database = openViewsFile({ path: data.views, definition })
  database.exec('BEGIN IMMEDIATE; DELETE FROM documents; DELETE FROM notes; DELETE FROM state')
  return {
    async [Symbol.asyncDispose]() {
      database.exec('COMMIT')
      database.close()
    },
  }
}
