/**
 * The thread that writes the event file, so that waiting for the disk never blocks the event loop. It is started
 * without a loader: Node itself strips the types of this file and its imports.
 */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { encodedBytes } from '#packages/events/format/encoded-bytes.ts'
import { AppendWriter, type WriteOutcome, type WriteRequest } from './append-writer.ts'
import { readDamageNote } from './damage-note.ts'
import { emptyLog } from './empty-log.ts'
import { EndMarks } from './end-mark.ts'
import { FileGuard } from './file-guard.ts'
import { openEventFile } from './open-event-file.ts'

export type WriterOptions = { path: string; busyTimeoutMs: number }
export type WriterCall = { call: number; request: WriteRequest }
export type WriterAnswer = { call: number; outcome: WriteOutcome }
export type ToWriter = readonly WriterCall[] | 'close'
/** `ready` once; then the answers of each transaction. */
export type FromWriter = 'ready' | readonly WriterAnswer[]

/** The most requests, and about the most bytes of data, in one transaction. */
const maxGroupRequests = 1024
const maxGroupBytes = 8 * 1_048_576

/** How often to try to empty the log of deleted events while readers of an older state prevent it, milliseconds. */
const emptyLogEveryMs = 250

const { path, busyTimeoutMs } = workerData as WriterOptions
if (parentPort === null) throw new Error('writer-thread.ts is to be started as a worker thread')
const port = parentPort
const database = openEventFile(path, busyTimeoutMs)
const origin = String(database.prepare('SELECT id FROM origin').get()?.id)
const guard = new FileGuard(path)
const marks = new EndMarks(path)
/**
 * Whether deleted events may be in the log. A crash may have left some, so it is true until the log was emptied once.
 */
let isErasedInLog = true
const writer = new AppendWriter(database, ({ isInLog }) => {
  isErasedInLog ||= isInLog
})
const emptying = setInterval(() => {
  const isOffLimits = guard.problem() !== undefined || readDamageNote(path) !== undefined
  if (isErasedInLog && !isOffLimits) isErasedInLog = !emptyLog(database)
}, emptyLogEveryMs).unref()
marks.write({ origin, ...writer.readEnd() })

function bytesOf({ request }: WriterCall): number {
  if (request.kind !== 'append') return 0
  return request.appends.flatMap(({ events }) => events).reduce((sum, event) => sum + encodedBytes(event), 0)
}

/** All messages that wait now, without waiting for more. */
function* waiting(first: ToWriter): Generator<ToWriter> {
  yield first
  for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) yield next.message
}

/** Writes the requests. If the file was deleted or replaced meanwhile, they are lost. */
function written(requests: WriteRequest[]): WriteOutcome[] {
  const outcomes = writer.write(requests)
  const problem = guard.problem()
  if (problem !== undefined) return requests.map(() => ({ kind: 'gone', problem }))
  if (outcomes.some(({ kind }) => kind === 'appended')) marks.write({ origin, ...writer.end })
  return outcomes
}

function write(group: WriterCall[]): void {
  if (group.length === 0) return
  const outcomes = written(group.map(({ request }) => request))
  const answers = group.map(({ call }, index) => ({ call, outcome: outcomes[index] as WriteOutcome }))
  port.postMessage(answers satisfies FromWriter)
}

function close(): void {
  clearInterval(emptying)
  database.close()
  marks[Symbol.dispose]()
  port.close()
}

port.on('message', (first: ToWriter) => {
  let group: WriterCall[] = []
  let bytes = 0
  for (const message of waiting(first)) {
    if (message === 'close') {
      write(group)
      return close()
    }
    for (const call of message) {
      group.push(call)
      bytes += bytesOf(call)
      if (group.length < maxGroupRequests && bytes < maxGroupBytes) continue
      write(group)
      group = []
      bytes = 0
    }
  }
  write(group)
})
port.postMessage('ready' satisfies FromWriter)
