import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { asJson } from '#packages/history/questions/as-json.ts'
import type { Projection } from '#packages/history/questions/projection.ts'
import { merged, type Replayed, type ReplayOptions, replay } from '#packages/history/questions/replay.ts'
import type { CommandOf, Print } from './command.ts'
import { loadProjection } from './load-module.ts'
import type { History } from './open-history.ts'
import { Progress } from './progress.ts'
import type { FromReplay, ReplayPart } from './replay-thread.ts'

/** The most threads. Each has its own pages of the file in memory. */
const MAX_THREADS = 8

/** Folds the history by an analyst's projection, and prints the result. */
export async function replayHistory(history: History, command: CommandOf<'replay'>, print: Print): Promise<void> {
  const projection = await loadProjection(command.file)
  const progress = new Progress()
  const { from, to, prefixes } = command
  const range = { from, to, prefixes, after: history.beginAt(from) }
  const { state, events } = await inThreads(history, projection, { file: command.file, range, progress })
  progress.end(events)
  for (const line of command.json ? [asJson(state)] : projection.print(state).split('\n')) print(line)
}

type Work = { file: string; range: ReplayOptions; progress: Progress }

/** Reads a file in several threads, if the projection has a merge. */
async function inThreads(
  { store, file: events }: History,
  projection: Projection<unknown>,
  { file, range, progress }: Work,
): Promise<Replayed<unknown>> {
  const of = projection.merge === undefined || events === undefined ? 1 : Math.min(MAX_THREADS, availableParallelism())
  if (events === undefined || of === 1)
    return replay(store, projection, { ...range, tell: (read) => progress.tell(read) })
  const read = Array.from({ length: of }, () => 0)
  const parts = read.map((_, index) =>
    partOf({ events, projection: file, range, share: { of, index } }, (own) => {
      read[index] = own
      progress.tell(read.reduce((sum, each) => sum + each, 0))
    }),
  )
  return merged(projection, await Promise.all(parts))
}

/** @throws the thread's error */
async function partOf(part: ReplayPart, tell: (events: number) => void): Promise<Replayed<unknown>> {
  const worker = new Worker(new URL('./replay-thread.ts', import.meta.url), { workerData: part, execArgv: [] })
  const { promise, resolve, reject } = Promise.withResolvers<Replayed<unknown>>()
  worker.on('message', (message: FromReplay) => {
    if ('replayed' in message) resolve(message.replayed)
    else tell(message.read)
  })
  worker.on('error', reject)
  worker.on('exit', () => reject(new Error('a thread ended without a result')))
  try {
    return await promise
  } finally {
    await worker.terminate()
  }
}
