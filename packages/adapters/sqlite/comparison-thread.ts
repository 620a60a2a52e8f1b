/**
 * The thread that compares the event file in the background, again and again. It is started without a loader, like the
 * writer's. It pauses for most of the time, and longer on a busy machine, where its slices take longer.
 */
import { basename } from 'node:path'
import { setTimeout as rest } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { saysDamaged } from './damaged-file.ts'
import { FileComparison, type Finding } from './file-comparison.ts'

export type ComparisonOptions = {
  path: string
  /** From the start of one comparison to that of the next, milliseconds. */
  everyMs: number
}
export type FromComparison = { findings: Finding[] } | { comparedEvents: number }

/** The share of a core that it uses, and the larger share where it would not finish in time. */
const usualShare = 0.1
const hurriedShare = 0.5

/** The part of the interval within which it should finish. */
const doneWithin = 0.8

/** Most findings that are reported. */
const maxFindings = 20

const { path, everyMs } = workerData as ComparisonOptions
if (parentPort === null) throw new Error('comparison-thread.ts is to be started as a worker thread')
const port = parentPort

async function compareOnce(): Promise<void> {
  using comparison = new FileComparison(path)
  const began = performance.now()
  let told = 0
  for (let isLeft = true; isLeft; ) {
    const from = performance.now()
    isLeft = comparison.next()
    const findings = comparison.findings.slice(told, maxFindings)
    told += findings.length
    if (findings.length > 0) port.postMessage({ findings } satisfies FromComparison)
    const { done, of } = comparison.progress
    const isLate = (performance.now() - began) / (everyMs * doneWithin) > done / Math.max(1, of)
    const share = isLate ? hurriedShare : usualShare
    await rest(((performance.now() - from) * (1 - share)) / share)
  }
  port.postMessage({ comparedEvents: comparison.progress.events } satisfies FromComparison)
}

for (;;) {
  const began = performance.now()
  try {
    await compareOnce()
  } catch (error) {
    if (!saysDamaged(error)) throw error
    const finding = { file: basename(path), problem: (error as Error).message }
    port.postMessage({ findings: [finding] } satisfies FromComparison)
  }
  await rest(Math.max(0, everyMs - (performance.now() - began)))
}
