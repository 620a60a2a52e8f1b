/**
 * A process that works as one customer: it requests a job at intervals and polls each to its end. It runs beside the
 * process that floods the service, so that it measures the service alone and not the flood's own event loop.
 */
import { setTimeout as rest } from 'node:timers/promises'
import { Client } from '#test/doubles/service/client.ts'
import { at } from '#test/doubles/service/setting.ts'
import { serveCalls } from '../kit/serve-calls.ts'

/** How often the customer requests a job. */
const EVERY_MS = 2000

/** The customer's work: with its key, until it is ended. */
export type Working = { base: string; key: string }

/** How long each request took, and how long each job took, milliseconds. `lost`: jobs that did not complete. */
export type Worked = { accepts: number[]; jobs: number[]; lost: number }

const ended = new AbortController()
let working: Promise<Worked> | undefined

async function work({ base, key }: Working, signal: AbortSignal): Promise<Worked> {
  const customer = new Client(() => base, { orgId: '', keyId: '', key })
  const done: Worked = { accepts: [], jobs: [], lost: 0 }
  const one = async (): Promise<void> => {
    const from = performance.now()
    const { status, body } = await customer.post('/v1/transcript', { url: at('/captioned.mp4'), mode: 'native' })
    done.accepts.push(performance.now() - from)
    const end = status === 202 ? await endOf(customer, body.jobId ?? '') : undefined
    if (end === 'completed') done.jobs.push(performance.now() - from)
    else done.lost++
  }
  const all: Promise<void>[] = []
  while (!signal.aborted) {
    all.push(one().catch(() => void done.lost++))
    await rest(EVERY_MS)
  }
  await Promise.all(all)
  return done
}

async function endOf(customer: Client, jobId: string): Promise<string | undefined> {
  for (;;) {
    const { body } = await customer.get(`/v1/transcript/${jobId}`, { prefer: 'wait=10' })
    if (body.status !== 'queued') return body.status
  }
}

serveCalls({
  begin: (argument: Working) => {
    working = work(argument, ended.signal)
    // Rethrown when the caller asks for the results.
    working.catch(() => undefined)
  },
  end: () => {
    ended.abort()
    return working
  },
})
