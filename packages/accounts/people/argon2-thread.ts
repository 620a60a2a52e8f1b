/** The thread that hashes passwords: it answers each `Argon2Question` with the tag. */
import { argon2Sync } from 'node:crypto'
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'

export type Argon2Question = {
  message: string
  nonce: Uint8Array
  memory: number
  passes: number
  parallelism: number
  tagLength: number
}

/** Requests have priority: on a busy core the thread gets about a tenth of their time. */
const NICENESS = 10

// Linux has a priority per thread, and 0 is the calling one. Elsewhere this would set that of the process.
if (process.platform === 'linux') setPriority(0, NICENESS)

parentPort?.on('message', (question: Argon2Question) =>
  parentPort?.postMessage({ answer: argon2Sync('argon2id', question) }),
)
parentPort?.postMessage('ready')
