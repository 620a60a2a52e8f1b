/** The thread that reads large results. */
import { parentPort } from 'node:worker_threads'
import { lowerThreadPriority } from '#packages/foundation/workers/lower-priority.ts'
import { type ResultQuestion, readResult } from './read-result.ts'

lowerThreadPriority()
parentPort?.on('message', (asked: ResultQuestion) => parentPort?.postMessage({ answer: readResult(asked) }))
parentPort?.postMessage('ready')
