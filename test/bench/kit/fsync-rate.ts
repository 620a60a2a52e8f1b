import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const PAGE_BYTES = 4096

/** Fsyncs per second of one more page of a growing file, one after the other. */
export function fsyncRate(directory: string, milliseconds = 700): number {
  const file = openSync(join(directory, 'fsync'), 'w')
  const page = Buffer.alloc(PAGE_BYTES, 1)
  const from = performance.now()
  let count = 0
  while (performance.now() - from < milliseconds) {
    writeSync(file, page)
    fdatasyncSync(file)
    count++
  }
  closeSync(file)
  return (count * 1000) / (performance.now() - from)
}
