import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import { removeMembers } from '#packages/accounts/people/remove-members.ts'
import { isDataDirectoryLocked, lockDataDirectory } from '#packages/adapters/sqlite/data-lock.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { type Cached, dropMedia } from '#packages/content/media/media-cache.ts'
import { projections } from '#packages/events/views/projections.ts'
import type { Config } from '#packages/foundation/config/config.ts'
import { assertStoreIntact } from '#packages/foundation/errors/assert-store-intact.ts'
import { ArchiveInUseError } from '#packages/history/archive/archive-folder.ts'
import { copiesOf } from '#packages/history/archive/copies.ts'
import { type Manifest, readManifest } from '#packages/history/archive/manifest.ts'
import { readArchive } from '#packages/history/archive/open-archive.ts'
import { ownerOfStream } from '#packages/history/archive/streams-of-organization.ts'
import { closeOrganization } from '#packages/history/removal/close-organization.ts'
import { forgetJob } from '#packages/history/removal/forget-job.ts'
import { forgetOrganization, NotYetForgottenError } from '#packages/history/removal/forget-organization.ts'
import { recordRemoval } from '#packages/history/removal/record-removal.ts'
import { AttemptsUnderWay } from '#packages/jobs/processing/attempts-under-way.ts'
import { isoOf } from '#packages/ports/clock.ts'
import { RevisionConflictError } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import { createLog } from '#packages/telemetry/log.ts'
import { noTelemetry } from '#packages/telemetry/telemetry.ts'
import { archivedIn } from '#services/host/archived-streams.ts'
import { type DataDirectory, openDataDirectory } from '#services/host/data-directory.ts'
import { openAccounts, openMongo, openStore, openViews } from '#services/host/engines.ts'
import { runTogether } from '#services/host/run-together.ts'
import { Projector } from '#services/projections/projector.ts'
import type { CommandContext, CommandOf, Print } from './command.ts'
import { exportTo } from './export.ts'
import { assertEventFile, openStoreHistory } from './open-history.ts'
import { vacuumAll } from './vacuum.ts'

/** How long an organization may take without progress, milliseconds: more than the longest window of a job. */
const GIVE_UP_AFTER_MS = 10 * 60 * 1000

const TRY_AGAIN_AFTER_MS = 1000

/** How long the views of a running service may take, milliseconds. */
const SHOWN_WITHIN_MS = 30_000

type Place = Awaited<ReturnType<typeof openPlace>>

/** How long to wait while another process writes into an archive, milliseconds. */
const IN_USE_MS = 30_000

/**
 * Removes everything about a job or an organization permanently, after its id was typed or with --yes.
 * @returns false if an archive, or tables made from one, may still have it
 */
export async function forget(command: CommandOf<'forget'>, context: CommandContext): Promise<boolean> {
  const { config, dataDir, print, tell } = context
  const { id } = command
  assertEventFile(config, dataDir)
  const archives = archivesOf(context)
  await using place = await openPlace(config, { data: await openDataDirectory(dataDir), archives, tell })
  assertStoreIntact(place.store)
  const what = await subjectOf(place, id, archives)
  if (!command.yes) await confirm(what, id)
  if (what.type === 'organization') await forgetOrg(place, id, tell)
  else if (what.isArchived) await forgetArchived(place, id, what.orgId)
  else await forgetJob(place, { jobId: id, orgId: what.orgId, cause: place.cause })
  const isShown = await place.isShown(id)
  if (!isShown) tell('the views still show it: projections deletes it there as soon as it runs')
  const stillIn = [...(await rewrite(archives, context, await place.positionOf(id))), ...copiesIn(archives, tell)]
  if (command.json) print(JSON.stringify({ forgotten: what.type, id, ...(stillIn.length > 0 && { stillIn }) }))
  else print(doneWith(what.type, id))
  return stillIn.length === 0
}

/** The archives that commands make: the named one, the configured one, and the one in the data directory. */
const archivesOf = ({ archive, config, dataDir }: CommandContext): Archives =>
  [...new Set([archive, config.exportDir, join(dataDir, 'archive')])].flatMap((directory) => {
    const manifest = directory === undefined ? undefined : readManifest(directory)
    return directory === undefined || manifest === undefined ? [] : [{ directory, manifest }]
  })

type Archives = readonly { directory: string; manifest: Manifest }[]

/**
 * Runs an export into each archive: an export that reads the removal rewrites the archive's files.
 * @param position of the removal's last event
 * @returns folders of archives that still have the removed events; the problem of each was printed
 */
async function rewrite(archives: Archives, context: CommandContext, position: number): Promise<string[]> {
  const stillIn: string[] = []
  for (const { directory, manifest } of archives)
    try {
      await rewriteOne(context, directory, manifest, position)
      context.tell(`the archive in ${directory} has nothing of it any more`)
    } catch (error) {
      context.tell(`the archive in ${directory} STILL HAS IT: ${(error as Error).message}`)
      stillIn.push(directory)
    }
  return stillIn
}

/** Tables made from the archives. They are for other programs, so only their maker can write them again. */
function copiesIn(archives: Archives, tell: Print): string[] {
  return archives.flatMap(({ directory }) => {
    const copies = copiesOf(directory)
    for (const copy of copies)
      tell(
        `the tables in ${copy} MAY STILL HAVE IT: delete them, or write them again ` +
          `(npm run history -- tables --to ${copy} --archive ${directory}); copies of them, too`,
      )
    return copies
  })
}

async function rewriteOne(
  context: CommandContext,
  directory: string,
  manifest: Manifest,
  position: number,
): Promise<void> {
  const { withContent, from } = manifest
  const what = { type: 'export', directory, from: from ?? undefined, withContent, follow: false, json: false } as const
  const { signal } = new AbortController()
  await using history = await openStoreHistory(context.config, context.dataDir)
  for (const giveUpAt = clock.now() + IN_USE_MS; ; await clock.sleep(TRY_AGAIN_AFTER_MS))
    try {
      return await exportTo(history, what, { exportDir: undefined, print: context.tell, signal })
    } catch (error) {
      if (!(error instanceof ArchiveInUseError)) throw error
      // The other writer has already read the removal.
      if ((readManifest(directory)?.position ?? 0) >= position) return
      if (clock.now() >= giveUpAt) throw error
    }
}

/** Forgets a job that retention has left only in archives. */
async function forgetArchived(place: Place, jobId: string, orgId: string): Promise<void> {
  const data = { reason: 'forgotten' as const, streams: [streams.job(jobId)] }
  await recordRemoval(place, { about: jobId, orgId, cause: place.cause, data }, 'no-stream')
}

const doneWith = (type: Subject['type'], id: string): string =>
  type === 'job'
    ? `the job ${id} is forgotten; its credits stay in the ledger`
    : `the organization ${id} is forgotten: its jobs, keys, credits, name and members`

type Subject = { type: 'job'; orgId: string; isArchived: boolean } | { type: 'organization' }

/** The job or organization with this id. It also finds an organization whose removal was interrupted. */
async function subjectOf({ store }: Pick<Place, 'store'>, id: string, archives: Archives): Promise<Subject> {
  const [first] = await store.read(streams.job(id), { from: 0, to: 0 })
  if (first !== undefined) return { type: 'job', orgId: first.metadata.orgId, isArchived: false }
  const decided = await store.read(streams.removal(id), { from: 0, to: 0 })
  for (const stream of [streams.organization(id), streams.credits(id)])
    if ((await store.read(stream, { from: 0, to: 0 })).length > 0) return { type: 'organization' }
  const [removal] = decided
  if (removal?.metadata.orgId === id) return { type: 'organization' }
  const owner = await ownerIn(archives, streams.job(id))
  if (owner !== undefined) return { type: 'job', orgId: owner, isArchived: true }
  if (removal === undefined) throw new Error(`there is no job and no organization ${id}`)
  throw new Error(`the job ${id} was forgotten at ${isoOf(removal.recordedAt)}`)
}

async function ownerIn(archives: Archives, stream: string): Promise<string | undefined> {
  for (const { directory } of archives) {
    const owner = await readArchive(directory, { threads: 1 }, (archive) => ownerOfStream(archive, stream))
    if (owner !== undefined) return owner
  }
  return undefined
}

async function confirm({ type }: Subject, id: string): Promise<void> {
  process.stderr.write(`Everything about the ${type} ${id} will be gone for good. Type its id: `)
  for await (const typed of createInterface({ input: process.stdin })) {
    if (typed.trim() === id) return
    break
  }
  throw new Error('that is not its id: nothing is changed')
}

async function forgetOrg(place: Place, orgId: string, tell: Print): Promise<void> {
  const accounts = await removeMembers(place, orgId)
  if (accounts > 0) tell(`accounts that belonged to no other organization: ${accounts} removed`)
  await closeOrganization(place, { orgId, cause: place.cause })
  tell('it is closed: its keys are revoked, its open jobs are cancelled')
  const giveUpAt = clock.now() + GIVE_UP_AFTER_MS
  for (let told = ''; ; await clock.sleep(TRY_AGAIN_AFTER_MS)) {
    try {
      return await forgetOrganization(place, { orgId, cause: place.cause }, (removed) =>
        tell(`${removed} streams removed`),
      )
    } catch (error) {
      if (error instanceof RevisionConflictError) continue
      if (!(error instanceof NotYetForgottenError)) throw error
      // Waiting is useless: only the service settles jobs, and it is stopped.
      if (error.waitsForJobs && place.isAlone)
        throw new Error(`${error.message}: start the service, which forgets the rest`)
      if (clock.now() >= giveUpAt) throw new Error(`${error.message}; the retention service goes on as soon as it can`)
      if (told !== error.message) tell(`waiting: ${error.message}`)
      told = error.message
    }
  }
}

/** Opens everything that a removal needs. Without a running service it also brings the views up to date. */
async function openPlace(config: Config, parts: { data: DataDirectory; archives: Archives; tell: Print }) {
  const { data, archives, tell } = parts
  await using opening = new AsyncDisposableStack()
  const isAlone = config.eventStoreUrl === undefined && !isDataDirectoryLocked(data.path)
  if (isAlone) {
    opening.use(lockDataDirectory(data.path))
    // Runs last. A running service does it at night.
    opening.defer(async () => void (await vacuumAll(config, data, tell)))
  }
  const { store, origin } = await openStore(config, data)
  opening.use(store)
  const mongo = await openMongo(config)
  if (mongo) opening.use(mongo)
  const accounts = opening.use(await openAccounts(data, mongo))
  // Opens the views without the origin of the events: a running service may be ahead of the events opened here.
  const views = opening.use(await openViews(data, { clock, mongo, store, ...(isAlone && { origin }) }))
  if (isAlone) {
    const log = createLog('forget', config.logLevel)
    const projector = new Projector({ store, views, clock, log, telemetry: noTelemetry }, projections)
    const running = opening.use(runTogether([projector], new AbortController().signal))
    await running.whenAll([projector.ready])
  }
  const open = opening.move()
  const positionOf = async (id: string): Promise<number> =>
    (await store.read(streams.removal(id))).at(-1)?.position ?? 0
  const isShown = async (id: string): Promise<boolean> => views.waitForApplied(await positionOf(id), SHOWN_WITHIN_MS)
  return {
    store,
    views,
    accounts,
    clock,
    ids,
    isAlone,
    isShown,
    positionOf,
    cause: `forget/${ids.uuid()}`,
    attempts: new AttemptsUnderWay(),
    ledgers: new Ledgers({ store, clock, ids }),
    archived: archivedIn(archives.map(({ directory }) => directory)),
    dropCached: (what: Cached) => dropMedia(data.media, what),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}
