/**
 * A process that requests `/health` as a load balancer does, twenty times a second, and watches the memory of the
 * service.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as rest } from 'node:timers/promises'
import { serveCalls } from '../kit/serve-calls.ts'

const EVERY_MS = 50
/** Probes between two readings of memory. To sum up the pages, the system stops the service for some 10 ms. */
const PROBES_A_LOOK = 20

/** Latencies in milliseconds. Memory in bytes, of this one process without its children. */
export type Probed = { latencies: number[]; memory: number }

type Probing = { base: string; pid: number }

const ended = new AbortController()
let probing: Promise<Probed> | undefined

function memoryOf(pid: number): number {
  const kilobytes = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'))?.[1]
  return Number(kilobytes ?? 0) * 1024
}

async function probe({ base, pid }: Probing, signal: AbortSignal): Promise<Probed> {
  const probed: Probed = { latencies: [], memory: memoryOf(pid) }
  for (let n = 1; !signal.aborted; n++) {
    const from = performance.now()
    const answer = await fetch(`${base}/health`)
    await answer.arrayBuffer()
    if (!answer.ok) throw new Error(`/health answers ${answer.status}`)
    probed.latencies.push(performance.now() - from)
    if (n % PROBES_A_LOOK === 0) probed.memory = Math.max(probed.memory, memoryOf(pid))
    await rest(EVERY_MS)
  }
  return probed
}

serveCalls({
  begin: (argument: Probing) => {
    probing = probe(argument, ended.signal)
    // Rethrown when the caller asks for the results.
    probing.catch(() => undefined)
  },
  end: () => {
    ended.abort()
    return probing
  },
})
