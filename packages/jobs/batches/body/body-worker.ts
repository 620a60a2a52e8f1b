/** The thread that reads the bodies of batch requests. */
import { parentPort } from 'node:worker_threads'
import { type BodyQuestion, parseBody } from './parse-body.ts'

parentPort?.on('message', (asked: BodyQuestion) => parentPort?.postMessage({ answer: parseBody(asked) }))
parentPort?.postMessage('ready')
