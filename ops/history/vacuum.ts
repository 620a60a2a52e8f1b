import { basename } from 'node:path'
import { lockDataDirectory } from '#packages/adapters/sqlite/data-lock.ts'
import { type VacuumOutcome, vacuum } from '#packages/adapters/sqlite/vacuum.ts'
import type { Config } from '#packages/foundation/config/config.ts'
import { type DataDirectory, openDataDirectory, storeFilesOf } from '#services/host/data-directory.ts'
import type { CommandContext, CommandOf, Print } from './command.ts'
import { assertEventFile } from './open-history.ts'

type FileOutcome = { file: string } & VacuumOutcome

/**
 * Rewrites the files of a stopped service from which rows were removed, whatever their size.
 * @returns false if a file may still contain remains
 * @throws DataDirectoryLockedError the service runs
 */
export async function vacuumStores(command: CommandOf<'vacuum'>, context: CommandContext): Promise<boolean> {
  const { config, dataDir, print, tell } = context
  assertEventFile(config, dataDir)
  const data = await openDataDirectory(dataDir)
  using _locked = lockDataDirectory(data.path)
  const outcomes = await vacuumAll(config, data, tell)
  if (command.json) print(JSON.stringify({ files: outcomes }))
  else for (const outcome of outcomes) print(lineOf(outcome))
  return outcomes.every(({ kind }) => kind !== 'left')
}

/** Rewrites all files of the data directory. @param tell called for each skipped file */
export async function vacuumAll(config: Config, data: DataDirectory, tell: Print): Promise<FileOutcome[]> {
  const outcomes: FileOutcome[] = []
  for (const path of storeFilesOf(config, data)) {
    const outcome = { file: basename(path), ...(await vacuum(path)) }
    if (outcome.kind === 'left') tell(`remains of what was removed may be in unused bytes of ${lineOf(outcome)}`)
    outcomes.push(outcome)
  }
  return outcomes
}

function lineOf(outcome: FileOutcome): string {
  const { file, kind } = outcome
  if (kind === 'left') return `${file}: ${outcome.why}`
  if (kind === 'not-needed') return `${file}: nothing was removed since it was last written anew`
  const { bytesBefore, bytesAfter, seconds } = outcome
  return `${file}: rewritten in ${seconds.toFixed(1)} s, ${bytesAfter} bytes (before: ${bytesBefore})`
}
