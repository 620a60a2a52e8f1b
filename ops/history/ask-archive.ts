import { existsSync, lstatSync } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { ArchiveInUseError } from '#packages/history/archive/archive-folder.ts'
import { readManifest } from '#packages/history/archive/manifest.ts'
import { openTables } from '../analysts/open-tables.ts'
import { printAnswer } from '../analysts/print-answer.ts'
import { runQuery } from '../analysts/run-query.ts'
import type { CommandContext, CommandOf } from './command.ts'
import { openStoreHistory } from './open-history.ts'
import { sqlShell } from './sql-shell.ts'

/**
 * Answers from the tables of an archive, after adding newer events from the store to it. The folder is the named one,
 * the configured one, or one in the data directory.
 * @returns false if a statement from a pipe failed
 */
export async function askArchive(command: CommandOf<'sql' | 'report'>, context: CommandContext): Promise<boolean> {
  const { print, tell } = context
  const directory = archiveOf(context)
  await bringUpToDate(directory, context)
  if (command.type === 'sql' && command.sql === undefined) {
    const { stdin: input, stderr: output } = process
    const isTerminal = input.isTTY && output.isTTY
    return await sqlShell(directory, command.format, { input, output, isTerminal }, { print, tell })
  }
  await using tables = await openTables(directory)
  if (command.type === 'sql') {
    const answer = await runQuery(tables.connection, command.sql ?? '')
    // The tables are closed as soon as this returns.
    await printAnswer(answer, command.format, { print, tell })
    return true
  }
  const { reportPage } = await import('../analysts/report/report-page.tsx')
  const file = resolve(command.file)
  await replaceFile(file, await reportPage(tables.connection))
  print(command.json ? JSON.stringify({ file }) : `the report is in ${file}`)
  return true
}

/** The folder of the archive to query. */
export const archiveOf = ({ config, dataDir, archive }: CommandContext): string =>
  archive ?? config.exportDir ?? join(dataDir, 'archive')

/** Replaces a file atomically. Only its owner may read the new one. */
async function replaceFile(file: string, text: string): Promise<void> {
  const isOther = lstatSync(file, { throwIfNoEntry: false })?.isFile() === false
  // Such as /dev/stdout.
  if (isOther) return await writeFile(file, text)
  const unfinished = `${file}.new`
  try {
    await rm(unfinished, { force: true })
    await writeFile(unfinished, text, { mode: 0o600 })
    await rename(unfinished, file)
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => {})
    throw error
  }
}

/** Adds newer events to an archive. Skipped without a store, and while another export writes into the archive. */
export async function bringUpToDate(directory: string, { config, dataDir, tell }: CommandContext): Promise<void> {
  const known = readManifest(directory)
  const hasStore = config.eventStoreUrl !== undefined || existsSync(join(dataDir, 'events.sqlite'))
  if (known !== undefined && !hasStore) return
  const options = { from: undefined, withContent: known?.withContent ?? false, follow: false, json: false }
  await using history = await openStoreHistory(config, dataDir)
  const isWhole = known?.origin === history.origin && known?.position === history.end && known?.moves.length === 0
  if (isWhole) return
  const { exportTo } = await import('./export.ts')
  const { signal } = new AbortController()
  try {
    await exportTo(history, { type: 'export', directory, ...options }, { exportDir: undefined, print: tell, signal })
  } catch (error) {
    if (known === undefined || known.position === 0 || !(error instanceof ArchiveInUseError)) throw error
    tell(`${error.message}: the answer is about what was there before`)
  }
}
