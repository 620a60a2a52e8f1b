import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { copyDatabase } from '#packages/adapters/sqlite/copy-database.ts'
import { readEndMark } from '#packages/adapters/sqlite/end-mark.ts'
import { EventReader } from '#packages/adapters/sqlite/event-reader.ts'
import { syncToDisk } from '#packages/foundation/disk/sync-to-disk.ts'
import type { Sealer } from '#packages/foundation/secrets/sealer.ts'
import type { DataDirectory } from '#services/host/data-directory.ts'
import { describeFile, fileOf, type Manifest, manifestFormat, manifestName, type StoreName } from './backup-manifest.ts'
import type { CommandOf, Print } from './command.ts'
import { copyProblem } from './copy-problem.ts'

const busyTimeoutMs = 1000

/** Advice to keep the key elsewhere. Without the key, a stolen backup does not reveal sealed data. */
const KEY_IS_ELSEWHERE =
  'It does not hold the key that seals (SECRETS_KEY, or secrets.key in DATA_DIR): keep a copy of that in another place'

/**
 * The places of the stores, and which of them are files; the others are in a database. `sealer`: has the sealing key.
 */
export type BackupSource = { data: DataDirectory; stores: readonly StoreName[]; sealer: Sealer | undefined }

/**
 * Copies the stores into a new folder, whether the service runs or not. The folder gets its name once everything in it
 * is checked and on the disk.
 * @param tell reports progress to the waiting person
 * @throws Error the folder is not empty, the disk is too full, or a store is damaged
 */
export async function backup(source: BackupSource, command: CommandOf<'backup'>, print: Print, tell: Print) {
  const { data } = source
  const folder = resolve(command.folder)
  assertFree(folder)
  if (!existsSync(data.events)) throw new Error(`there is no event file ${data.events}`)
  const unfinished = `${folder}.unfinished`
  // Left by a killed backup.
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { recursive: true, mode: 0o700 })
  try {
    assertRoom(source, unfinished)
    const manifest = await copyStores(source, unfinished, tell)
    renameSync(unfinished, folder)
    syncToDisk(dirname(folder))
    for (const line of linesOf(manifest, folder, command.json)) print(line)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    throw error
  }
}

function assertFree(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new Error(`${folder} is not empty: name a new folder for each backup`)
}

function assertRoom({ data, stores }: BackupSource, folder: string): void {
  const { bavail, bsize } = statfsSync(folder)
  const wanted = stores.map((store) => sizeOf(data[store]) + sizeOf(`${data[store]}-wal`))
  const [free, bytes] = [bavail * bsize, wanted.reduce((sum, size) => sum + size)]
  if (free < bytes) throw new Error(`the copy takes up to ${bytes} bytes, and the disk of ${folder} has ${free} left`)
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

async function copyStores({ data, stores, sealer }: BackupSource, folder: string, tell: Print): Promise<Manifest> {
  // Reads the mark before it copies: the copy must reach at least this position.
  const mark = readEndMark(data.events)
  const problems = new Map<StoreName, string | undefined>()
  for (const store of stores.filter((each) => existsSync(data[each]))) {
    const copying = copyDatabase(data[store], join(folder, fileOf(store)))
    problems.set(store, await copying.then(() => undefined, messageOf))
    tell(`${fileOf(store)} copied`)
  }
  const madeAt = new Date().toISOString()
  const sound: StoreName[] = []
  for (const [store, problem] of problems)
    if (isSound(store, problem ?? copyProblem(store, join(folder, fileOf(store)), mark), tell)) sound.push(store)
    else rmSync(join(folder, fileOf(store)), { force: true })
  const files = []
  for (const store of sound) files.push(await describeFile(folder, store))
  const { id: origin, lastPosition: position } = endOf(join(folder, fileOf('events')))
  const sealedWith = sealer?.fingerprint ?? null
  const manifest: Manifest = { format: manifestFormat, madeAt, position, origin, files, sealedWith }
  writeFileSync(join(folder, manifestName), `${JSON.stringify(manifest, undefined, 2)}\n`, { mode: 0o600 })
  for (const name of [...sound.map(fileOf), manifestName]) syncToDisk(join(folder, name))
  syncToDisk(folder)
  return manifest
}

function endOf(events: string) {
  using reader = new EventReader(events, busyTimeoutMs)
  return reader.origin()
}

const messageOf = (error: unknown): string => (error as Error).message

/**
 * Whether a copy is usable. Damaged views are left out, because they are rebuilt from the events.
 * @throws Error events or accounts are damaged
 */
function isSound(store: StoreName, problem: string | undefined, tell: Print): boolean {
  if (problem === undefined) {
    tell(`${fileOf(store)} checked`)
    return true
  }
  const what = `${fileOf(store)} is damaged: ${problem}`
  if (store !== 'views') throw new Error(`${what}. No backup was made (ops/history)`)
  tell(`${what}. It is left out: the views are rebuilt from the events`)
  return false
}

function linesOf(manifest: Manifest, folder: string, json: boolean): string[] {
  if (json) return [JSON.stringify({ folder, ...manifest })]
  const files = manifest.files.map(({ store, bytes }) => `${fileOf(store).padEnd(16)} ${bytes} bytes`)
  return [
    ...files,
    `${folder} holds everything up to position ${manifest.position}`,
    ...(manifest.sealedWith === null ? [] : [KEY_IS_ELSEWHERE]),
  ]
}
