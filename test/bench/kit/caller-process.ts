/** A process that acts as one patient customer: posts a job, waits for its end, rests, and posts the next. */
import { setTimeout as rest } from 'node:timers/promises'
import { bytesOf, RawConnection } from './raw-connection.ts'
import { serveCalls } from './serve-calls.ts'

export type Errand = {
  port: number
  key: string
  body: string
  jobs: number
  /** Pause between one job's end and the next post, milliseconds. */
  restMs: number
}

/** When a job was posted, answered, and seen completed: CLOCK_MONOTONIC in milliseconds. */
export type TimedJob = { jobId: string; postedAt: number; answeredAt: number; completedAt: number }

const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6

async function run({ port, key, body, jobs, restMs }: Errand): Promise<TimedJob[]> {
  const connection = await RawConnection.open(port)
  const headers = { 'Content-Type': 'application/json', 'x-api-key': key }
  const post = bytesOf({ method: 'POST', path: '/v1/transcript', headers, body })
  const timed: TimedJob[] = []
  for (let n = 0; n < jobs; n++) {
    const postedAt = monotonicMs()
    const posted = await connection.send(post)
    const answeredAt = monotonicMs()
    if (posted.status !== 202) throw new Error(`answered ${posted.status} ${posted.body}`)
    const { jobId } = JSON.parse(posted.body) as { jobId: string }
    const path = `/v1/transcript/${jobId}`
    const seen = await connection.send(bytesOf({ method: 'GET', path, headers: { ...headers, Prefer: 'wait=30' } }))
    const completedAt = monotonicMs()
    if (JSON.parse(seen.body).status !== 'completed') throw new Error(`came to ${seen.status} ${seen.body}`)
    timed.push({ jobId, postedAt, answeredAt, completedAt })
    await rest(restMs)
  }
  connection.close()
  return timed
}

serveCalls({ run })
