/** Event files with known content, and processes that write to event files. */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import type { EncodedRecord } from '#packages/events/format/codec.ts'
import { AppendWriter, type WriteRequest } from './append-writer.ts'
import { EventReader } from './event-reader.ts'
import { prepareEventFile } from './event-schema.ts'

const metadata = JSON.stringify({ orgId: randomUUID(), correlationId: randomUUID() })

/** A text that is sometimes long enough for overflow pages. */
const textOf = (n: number): string => JSON.stringify({ reason: `${n} `.repeat(n % 40 === 7 ? 2500 : 20 + (n % 50)) })

export const eventsOf = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => {
    const n = from + index
    const data = n % 17 === 3 ? Buffer.from(textOf(n)) : textOf(n)
    return { id: randomUUID(), type: 'CaptionsUnavailable', version: 1, metadata, data }
  })

/** Opens a file for writing in this thread, and creates it if it is missing. */
export function openWriter(path: string): Disposable & { write(requests: WriteRequest[]): void } {
  const database = new DatabaseSync(path)
  prepareEventFile(database, path)
  const writer = new AppendWriter(database)
  return {
    write(requests) {
      const failed = writer
        .write(requests)
        .find(({ kind }) => kind === 'failed' || kind === 'conflict' || kind === 'no-such-revision')
      if (failed !== undefined) throw new Error(JSON.stringify(failed))
    },
    [Symbol.dispose]: () => database.close(),
  }
}

export const append = (stream: string, expected: number | 'no-stream', count: number, from = 0): WriteRequest => ({
  kind: 'append',
  appends: [{ stream, expected, events: eventsOf(count, from) }],
})

/** Writes a file of about forty pages: jobs, ledgers (some truncated), keys, organizations and removed streams. */
export function writeEventFile(path: string): void {
  using file = openWriter(path)
  for (let n = 0; n < 36; n++) {
    const org = n % 3
    file.write([append(`credits-${org}`, n < 3 ? 'no-stream' : Math.floor(n / 3) * 2 - 1, 2, n)])
    file.write([
      append(`job-${randomUUID()}`, 'no-stream', 3 + (n % 5), n * 3),
      append(`job-gone-${n % 2}-${n}`, 'no-stream', 1),
    ])
    if (n % 4 === 0) file.write([append(`key-${n}`, 'no-stream', 1), append(`organization-${n}`, 'no-stream', 1)])
    if (n % 9 === 8) file.write([{ kind: 'truncate', stream: `credits-${org}`, before: n >> 1 }])
    if (n % 6 === 5) file.write([{ kind: 'remove', stream: `job-gone-${n % 2}-${n}` }])
  }
}

export const allPrefixes = ['job-', 'credits-', 'key-', 'organization-']

/** All events of a file, by the way in which they were read. */
export type Readings = Map<string, EncodedRecord[] | Error>

const limits = { events: 50, bytes: 100_000 }

function feedOf(reader: EventReader, prefixes: readonly string[]): EncodedRecord[] {
  const records: EncodedRecord[] = []
  for (let after = 0; ; ) {
    const page = reader.page(after, prefixes, limits)
    records.push(...page.records)
    if (page.error !== undefined) throw page.error
    if (page.caughtUp) return records
    after = page.position
  }
}

/** Reads a file in every possible way. */
export function readingsOf(path: string, streams: readonly string[]): Readings {
  const readings: Readings = new Map()
  const take = (way: string, read: () => EncodedRecord[]): void => {
    try {
      readings.set(way, read())
    } catch (error) {
      readings.set(way, error as Error)
    }
  }
  let reader: EventReader
  try {
    reader = new EventReader(path, 1000)
  } catch (error) {
    return readings.set('open', error as Error)
  }
  using _reader = reader
  for (const stream of streams) {
    take(`forwards ${stream}`, () => reader.forwards(stream, 0, Number.MAX_SAFE_INTEGER))
    take(`backwards ${stream}`, () => reader.backwards(stream, Number.MAX_SAFE_INTEGER, 100))
  }
  take('feed', () => feedOf(reader, allPrefixes))
  take('feed of the rare', () => feedOf(reader, ['key-', 'organization-']))
  return readings
}

const storeUrl = new URL('./event-store.ts', import.meta.url).href

/**
 * A process that runs this code with the `store` of a file.
 * @param kilobytes the limit on the size of files; with a limit, its errors are not shown
 */
export function processOn(path: string, code: string, kilobytes?: number) {
  const all = `import { openSqliteEventStore } from ${JSON.stringify(storeUrl)}
    const store = await openSqliteEventStore({ path: ${JSON.stringify(path)} })
    ${code}`
  const shell = `trap '' XFSZ; ulimit -f ${kilobytes ?? 'unlimited'}; exec "$0" --input-type=module -e "$1"`
  const errors = kilobytes === undefined ? 'inherit' : 'ignore'
  return spawn('bash', ['-c', shell, process.execPath, all], { stdio: ['ignore', 'pipe', errors] })
}

/** The lines that a process has printed before its end. @param kill after this many it is killed */
export async function linesOf(child: ReturnType<typeof processOn>, kill?: number): Promise<string[]> {
  const closed = once(child, 'close')
  const lines: string[] = []
  if (child.stdout === null) throw new Error('the process has no output')
  for await (const line of createInterface(child.stdout)) {
    lines.push(line)
    if (lines.length === kill) child.kill('SIGKILL')
  }
  await closed
  return lines
}
