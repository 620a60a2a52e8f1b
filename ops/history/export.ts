import { resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { variables } from '#packages/foundation/config/config.ts'
import type { ArchiveWriter } from '#packages/history/archive/archive-writer.ts'
import { exportHistory, openExport } from '#packages/history/archive/export-history.ts'
import manifest from '../../package.json' with { type: 'json' }
import { UsageError } from '../organizations/run-command.ts'
import type { CommandOf, Print } from './command.ts'
import type { StoreHistory } from './open-history.ts'
import { Progress } from './progress.ts'

/** The pause between two exports that follow the store, milliseconds. So a folder is never a minute behind. */
export const FOLLOW_EVERY_MS = 20_000

export type ExportOptions = {
  /** The default folder. */
  exportDir: string | undefined
  print: Print
  /** Ends following. */
  signal: AbortSignal
  /** The pause between two exports that follow the store. */
  pauseMs?: number
}

/**
 * Exports the events that the folder's archive lacks. With `follow`, continues with new events.
 * @throws UsageError no folder is named
 */
export async function exportTo(
  { store, origin, beginAt }: StoreHistory,
  command: CommandOf<'export'>,
  { exportDir, print, signal, pauseMs = FOLLOW_EVERY_MS }: ExportOptions,
): Promise<void> {
  const { directory = exportDir, from = null, withContent, follow } = command
  if (directory === undefined) throw new UsageError(`export needs --to, or ${variables.exportDir.variable}`)
  const program = manifest.version
  await using writer = await openExport(store, resolve(directory), { origin, withContent, from, program })
  const after = beginAt(writer.archive.manifest.from ?? undefined)
  for (let isFirst = true; ; isFirst = false) {
    const progress = new Progress()
    const added = await exportHistory(store, writer, { after, tell: (events) => progress.tell(events) })
    progress.end(added)
    if (isFirst || added > 0) print(command.json ? JSON.stringify(fieldsOf(writer, added)) : lineOf(writer, added))
    if (!follow || !(await paused(pauseMs, signal))) return
  }
}

/** @returns false if the signal ends the pause */
export const paused = (ms: number, signal: AbortSignal): Promise<boolean> =>
  setTimeout(ms, true, { signal }).catch((error: unknown) => {
    if (signal.aborted) return false
    throw error
  })

function fieldsOf({ archive, duckDbMs }: ArchiveWriter, added: number) {
  const { position, files } = archive.manifest
  const events = files.reduce((sum, file) => sum + file.events, 0)
  return { archive: archive.directory, added, events, files: files.length, position, duckDbSeconds: duckDbMs / 1000 }
}

function lineOf(writer: ArchiveWriter, added: number): string {
  const { events, files, position } = fieldsOf(writer, added)
  const [more, all] = [added, events].map((count) => count.toLocaleString('en-US'))
  return `${more} events added; the archive has ${all} in ${files} files, up to position ${position}`
}
