import { existsSync, lstatSync } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { ArchiveInUseError } from '#packages/archive/archive-folder.ts'
import { readManifest } from '#packages/archive/manifest.ts'
import { openTables } from '../analysts/open-tables.ts'
import { printAnswer } from '../analysts/print-answer.ts'
import { reportPage } from '../analysts/report/report-page.tsx'
import { runQuery } from '../analysts/run-query.ts'
import type { CommandOf } from './command.ts'
import type { Desk } from './desk.ts'
import { exportTo } from './export.ts'
import { openStoreHistory } from './open-history.ts'

/**
 * Answers from the tables of an archive, to which what is newer in the store is added first.
 * Its folder is the one that was named, that of the configuration, or one in the data directory.
 */
export async function askArchive(command: CommandOf<'sql' | 'report'>, desk: Desk): Promise<void> {
  const { print, tell } = desk
  const directory = archiveOf(desk)
  await bringUpToDate(directory, desk)
  await using tables = await openTables(directory)
  if (command.type === 'sql') {
    const answer = await runQuery(tables.connection, command.sql)
    // The tables are closed as soon as this returns.
    return await printAnswer(answer, command.format, { print, tell })
  }
  const file = resolve(command.file)
  await replaceFile(file, await reportPage(tables.connection))
  print(command.json ? JSON.stringify({ file }) : `the report is in ${file}`)
}

/** The folder of the archive that questions are about. */
export const archiveOf = ({ config, dataDir, archive }: Desk): string =>
  archive ?? config.exportDir ?? join(dataDir, 'archive')

/** As a whole, and readable by its owner only, whoever could read the file before. */
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

/** Where there is no store beside it, an archive is all there is; one that another export writes into is current already. */
export async function bringUpToDate(directory: string, { config, dataDir, tell }: Desk): Promise<void> {
  const known = readManifest(directory)
  const hasStore = config.eventStoreUrl !== undefined || existsSync(join(dataDir, 'events.sqlite'))
  if (known !== undefined && !hasStore) return
  const options = { from: undefined, withContent: known?.withContent ?? false, follow: false, json: false }
  await using history = await openStoreHistory(config, dataDir)
  const { signal } = new AbortController()
  try {
    await exportTo(history, { type: 'export', directory, ...options }, { exportDir: undefined, print: tell, signal })
  } catch (error) {
    if (known === undefined || known.position === 0 || !(error instanceof ArchiveInUseError)) throw error
    tell(`${error.message}: the answer is about what was there before`)
  }
}
