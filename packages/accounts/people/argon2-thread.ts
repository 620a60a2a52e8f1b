/** The thread that hashes passwords: it answers each `Argon2Question` with the tag. */
import { argon2Sync } from 'node:crypto'
import { parentPort } from 'node:worker_threads'
import { lowerThreadPriority } from '#packages/foundation/workers/lower-priority.ts'

export type Argon2Question = {
  message: string
  nonce: Uint8Array
  memory: number
  passes: number
  parallelism: number
  tagLength: number
}

lowerThreadPriority()
parentPort?.on('message', (question: Argon2Question) =>
  parentPort?.postMessage({ answer: argon2Sync('argon2id', question) }),
)
parentPort?.postMessage('ready')
