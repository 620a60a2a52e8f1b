/** The thread that reads large results. */
import { parentPort } from 'node:worker_threads'
import { type ResultQuestion, readResult } from './read-result.ts'

parentPort?.on('message', (asked: ResultQuestion) => parentPort?.postMessage({ answer: readResult(asked) }))
parentPort?.postMessage('ready')
