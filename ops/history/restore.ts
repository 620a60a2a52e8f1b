import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { renameOrigin } from '#packages/adapters/sqlite/accept-end.ts'
import { lockDataDirectory } from '#packages/adapters/sqlite/data-lock.ts'
import { markPathOf } from '#packages/adapters/sqlite/end-mark.ts'
import { openSqliteEventStore } from '#packages/adapters/sqlite/event-store.ts'
import { syncToDisk } from '#packages/foundation/disk/sync-to-disk.ts'
import type { Sealer } from '#packages/foundation/secrets/sealer.ts'
import { lostWithTheKey } from '#packages/foundation/secrets/secrets-key.ts'
import type { DataDirectory } from '#services/host/data-directory.ts'
import { describeFile, fileOf, type Manifest, readManifest } from './backup-manifest.ts'
import type { CommandOf, Print } from './command.ts'
import { copyProblem } from './copy-problem.ts'

const endMark = markPathOf(fileOf('events'))

/** The target of a restore. `sealer`: has the current sealing key. */
export type RestoreTarget = { data: DataDirectory; sealer: Sealer | undefined }

/**
 * Restores a backup into the data directory of a stopped service. It copies everything, compares it with the manifest
 * and checks it before it changes the directory. The existing files are set aside.
 * @throws DataDirectoryLockedError a service runs on it
 * @throws Error names a damaged file of the backup; or there is data that may not be replaced
 */
export async function restore({ data, sealer }: RestoreTarget, command: CommandOf<'restore'>, print: Print) {
  const folder = resolve(command.folder)
  const manifest = readManifest(folder)
  using _lock = lockDataDirectory(data.path)
  const present = namesToReplace(data, manifest)
  if (present.length > 0 && !command.replace)
    throw new Error(`${data.path} has ${present.join(', ')}: with --replace they are set aside, not deleted`)
  const made = join(data.path, 'restoring')
  // Left by a killed restore.
  rmSync(made, { recursive: true, force: true })
  mkdirSync(made, { mode: 0o700 })
  try {
    const position = await makeFiles(folder, manifest, made)
    const aside = exchange({ data, made, present })
    const forgotten = aside === undefined ? [] : await forgottenSince(join(aside, fileOf('events')), manifest)
    for (const line of linesOf({ manifest, position, aside, forgotten, lost: lostOf(manifest, sealer) }, command.json))
      print(line)
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
}

/** The files of the stores in the backup. Views are always replaced: without a copy they are rebuilt. */
function namesToReplace(data: DataDirectory, { files }: Manifest): string[] {
  const replaced = new Set<string>([...files.map(({ store }) => store), 'views'])
  return readdirSync(data.path).filter((name) => replaced.has(/^(\w+)\.sqlite/.exec(name)?.[1] ?? ''))
}

/** Copies and checks the backup's files, and prepares them for the service. @returns their last position */
async function makeFiles(folder: string, manifest: Manifest, made: string): Promise<number> {
  assertRoom(manifest, made)
  for (const file of manifest.files) {
    const name = fileOf(file.store)
    const from = join(folder, name)
    if (!existsSync(from)) throw new Error(`the backup is damaged: ${from} is missing`)
    copyFileSync(from, join(made, name))
    chmodSync(join(made, name), 0o600)
    const { bytes, sha256 } = await describeFile(made, file.store)
    if (bytes !== file.bytes || sha256 !== file.sha256)
      throw new Error(`the backup is damaged: ${from} is not as its manifest says`)
    const problem = copyProblem(file.store, join(made, name))
    if (problem !== undefined) throw new Error(`the backup is damaged: ${from}: ${problem}`)
  }
  const views = manifest.files.some(({ store }) => store === 'views') ? join(made, fileOf('views')) : undefined
  return renameOrigin({ events: join(made, fileOf('events')), views, origin: manifest.origin })
}

function assertRoom({ files }: Manifest, made: string): void {
  const { bavail, bsize } = statfsSync(made)
  const [free, wanted] = [bavail * bsize, files.reduce((sum, { bytes }) => sum + bytes, 0)]
  if (free < wanted) throw new Error(`the backup takes ${wanted} bytes, and the disk of ${made} has ${free} left`)
}

/**
 * Sets the existing files aside and puts the new files in their place. The mark of the new end comes first and the new
 * events last. So a start after a crash in between finds events that do not fit their mark, and is refused.
 * @returns the folder with the old files; undefined if there were none
 */
function exchange({ data, made, present }: { data: DataDirectory; made: string; present: readonly string[] }) {
  for (const name of readdirSync(made)) syncToDisk(join(made, name))
  const aside = join(data.path, `replaced-${new Date().toISOString().replaceAll(':', '-')}`)
  const here = (name: string): string => join(data.path, name)
  if (present.length > 0) mkdirSync(aside, { mode: 0o700 })
  if (present.includes(endMark)) linkSync(here(endMark), join(aside, endMark))
  renameSync(join(made, endMark), here(endMark))
  syncToDisk(data.path)
  for (const name of present) if (name !== endMark) renameSync(here(name), join(aside, name))
  const events = fileOf('events')
  for (const name of readdirSync(made)) if (name !== events) renameSync(join(made, name), here(name))
  syncToDisk(data.path)
  renameSync(join(made, events), data.events)
  syncToDisk(data.path)
  return present.length > 0 ? aside : undefined
}

type Restored = {
  manifest: Manifest
  position: number
  aside: string | undefined
  forgotten: readonly string[] | undefined
  lost: readonly string[]
}

/** The backup's data that the current key cannot unseal, in words. */
const lostOf = ({ sealedWith }: Manifest, sealer: Sealer | undefined): readonly string[] =>
  sealedWith === null || sealedWith === sealer?.fingerprint ? [] : lostWithTheKey

function linesOf({ manifest: { madeAt }, position, aside, forgotten, lost }: Restored, json: boolean): string[] {
  if (json)
    return [JSON.stringify({ madeAt, position, setAside: aside ?? null, forgottenSince: forgotten ?? null, lost })]
  const done = `put back everything up to position ${position}, of ${madeAt}. What came later is gone.`
  const told = [
    done,
    ...lost.map((what) => `Lost, because the key that sealed it is not here (SECRETS_KEY, secrets.key): ${what}`),
  ]
  return aside === undefined ? told : [...told, `What was here is in ${aside}`, ...forgottenLines(forgotten)]
}

function forgottenLines(forgotten: readonly string[] | undefined): string[] {
  if (forgotten === undefined) return ['The events that were here cannot tell what was forgotten since the backup.']
  return forgotten.map((id) => `Forgotten since the backup, and back with it: npm run history -- forget ${id}`)
}

/**
 * The ids of jobs and organizations that were forgotten after a backup. Undefined if the file cannot say: it is missing
 * or damaged, or is not the copied file.
 * @param path the event file from before the restore
 */
async function forgottenSince(path: string, { origin, position }: Manifest): Promise<string[] | undefined> {
  try {
    await using store = await openSqliteEventStore({ path, readOnly: true })
    return store.origin.id === origin ? await forgottenIn(store, position) : undefined
  } catch {
    // A backup is often restored because the file is damaged.
    return undefined
  }
}

async function forgottenIn(store: Awaited<ReturnType<typeof openSqliteEventStore>>, after: number): Promise<string[]> {
  const ids = new Set<string>()
  const { signal } = new AbortController()
  for await (const { events, caughtUp } of store.follow({ after, prefixes: ['removal-'], signal })) {
    for (const { type, data, metadata } of events)
      if (type === 'StreamsRemoved' && data.reason === 'forgotten') ids.add(metadata.correlationId)
    if (caughtUp) break
  }
  return [...ids]
}
