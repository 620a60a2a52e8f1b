import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { noteCopy } from '#packages/history/archive/copies.ts'
import { MANIFEST, type Manifest } from '#packages/history/archive/manifest.ts'
import { manifestOf } from '#packages/history/archive/open-archive.ts'
import { type WrittenTables, writeTables } from '../analysts/write-tables.ts'
import { UsageError } from '../organizations/run-command.ts'
import { archiveOf, bringUpToDate } from './ask-archive.ts'
import type { CommandContext, CommandOf } from './command.ts'
import { FOLLOW_EVERY_MS, paused } from './export.ts'

/** Pauses nine times as long as a write takes, so that writing takes a tenth of the time. */
const PAUSE_PER_WRITE = 9

export type TablesOptions = {
  /** Ends following. */
  signal: AbortSignal
  /** The shortest pause between two checks for new events. */
  pauseMs?: number
}

/** Writes the tables of an archive for other programs, after adding newer events from the store to it. */
export async function tables(
  command: CommandOf<'tables'>,
  context: CommandContext,
  { signal, pauseMs = FOLLOW_EVERY_MS }: TablesOptions,
): Promise<void> {
  const directory = archiveOf(context)
  const target = resolve(command.to)
  if (existsSync(join(target, MANIFEST)))
    throw new UsageError(`${target} is the folder of an archive: its events and tables would be read as one`)
  let before: Manifest | undefined
  for (let took = 0; ; ) {
    await bringUpToDate(directory, context)
    const manifest = manifestOf(directory)
    if (!isDeepStrictEqual(manifest, before)) {
      const began = performance.now()
      // Notes the copy before anything is written, so that `forget` always names it.
      noteCopy(directory, target)
      const written = await writeTables(directory, target)
      took = performance.now() - began
      context.print(command.json ? JSON.stringify({ tables: target, ...written }) : lineOf(target, written))
      if (before === undefined && written.withoutContent.length > 0) context.tell(withoutContentIn(written))
      before = manifest
    }
    if (!command.follow || !(await paused(Math.max(pauseMs, PAUSE_PER_WRITE * took), signal))) return
  }
}

function lineOf(target: string, { rows, position }: WrittenTables): string {
  const told = ['jobs', 'attempts', 'credits', 'customers'].map(
    (table) => `${rows[table]?.toLocaleString('en-US')} ${table}`,
  )
  return `${Object.keys(rows).length} tables are in ${target}: ${told.join(', ')} and others, up to position ${position}`
}

const withoutContentIn = ({ withoutContent }: WrittenTables): string =>
  `the archive is without content, so that these columns are left out: ${withoutContent.join(', ')}`
