import { createInterface } from 'node:readline'
import { removeMembers } from '#packages/accounts/remove-members.ts'
import { isDataDirectoryLocked, lockDataDirectory } from '#packages/adapters/sqlite/data-lock.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import type { Config } from '#packages/config/config.ts'
import { assertBelieved } from '#packages/errors/assert-believed.ts'
import { Ledgers } from '#packages/ledger/ledgers.ts'
import { dropMedia } from '#packages/media/media-cache.ts'
import { isoOf } from '#packages/ports/clock.ts'
import { RevisionConflictError } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import { AttemptsUnderWay } from '#packages/processing/attempts-under-way.ts'
import { closeOrganization } from '#packages/removal/close-organization.ts'
import { forgetJob } from '#packages/removal/forget-job.ts'
import { forgetOrganization, NotYetForgottenError } from '#packages/removal/forget-organization.ts'
import { createLog } from '#packages/telemetry/log.ts'
import { noTelemetry } from '#packages/telemetry/telemetry.ts'
import { projections } from '#packages/views/projections.ts'
import { type DataDirectory, openDataDirectory } from '#services/host/data-directory.ts'
import { openAccounts, openMongo, openStore, openViews } from '#services/host/engines.ts'
import { runTogether } from '#services/host/run-together.ts'
import { Projector } from '#services/projections/projector.ts'
import type { CommandOf, Print } from './command.ts'

/** How long an organization may take without any progress, milliseconds: the longest window of a job, and more. */
const GIVE_UP_AFTER_MS = 10 * 60 * 1000

const TRY_AGAIN_AFTER_MS = 1000

/** How long the views of a running service may take, milliseconds. */
const SHOWN_WITHIN_MS = 30_000

type Place = Awaited<ReturnType<typeof openPlace>>

/** Removes everything about a job or an organization for good, once its id was typed, or with --yes. */
export async function forget(
  command: CommandOf<'forget'>,
  config: Config,
  dataDir: string,
  print: Print,
): Promise<boolean> {
  await using place = await openPlace(config, await openDataDirectory(dataDir))
  assertBelieved(place.store)
  const what = await subjectOf(place, command.id)
  if (!command.yes) await confirm(what, command.id)
  if (what.type === 'job') await forgetJob(place, { jobId: command.id, orgId: what.orgId, cause: place.cause })
  else await forgetOrg(place, command.id, (line) => console.error(line))
  const isShown = await place.isShown(command.id)
  print(command.json ? JSON.stringify({ forgotten: what.type, id: command.id }) : doneWith(what.type, command.id))
  if (!isShown) console.error('the views still show it: projections deletes it there as soon as it runs')
  return true
}

const doneWith = (type: Subject['type'], id: string): string =>
  type === 'job'
    ? `the job ${id} is forgotten; its credits stay in the ledger`
    : `the organization ${id} is forgotten: its jobs, keys, credits, name and members`

type Subject = { type: 'job'; orgId: string } | { type: 'organization' }

/** What has this id. An organization whose removal was cut off is found too. */
async function subjectOf({ store }: Pick<Place, 'store'>, id: string): Promise<Subject> {
  const [first] = await store.read(streams.job(id), { from: 0, to: 0 })
  if (first !== undefined) return { type: 'job', orgId: first.metadata.orgId }
  const decided = await store.read(streams.removal(id), { from: 0, to: 0 })
  for (const stream of [streams.organization(id), streams.credits(id)])
    if ((await store.read(stream, { from: 0, to: 0 })).length > 0) return { type: 'organization' }
  const [removal] = decided
  if (removal === undefined) throw new Error(`there is no job and no organization ${id}`)
  if (removal.metadata.orgId === id) return { type: 'organization' }
  throw new Error(`the job ${id} was forgotten at ${isoOf(removal.recordedAt)}`)
}

async function confirm({ type }: Subject, id: string): Promise<void> {
  process.stderr.write(`Everything about the ${type} ${id} will be gone for good. Type its id: `)
  for await (const typed of createInterface({ input: process.stdin })) {
    if (typed.trim() === id) return
    break
  }
  throw new Error('that is not its id: nothing is changed')
}

async function forgetOrg(place: Place, orgId: string, tell: (line: string) => void): Promise<void> {
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
      // Nobody else settles jobs while the service is stopped.
      if (error.waitsForJobs && place.isAlone)
        throw new Error(`${error.message}: start the service, which forgets the rest`)
      if (clock.now() >= giveUpAt) throw new Error(`${error.message}; the retention service goes on as soon as it can`)
      if (told !== error.message) tell(`waiting: ${error.message}`)
      told = error.message
    }
  }
}

/** What a removal needs. In a data directory that no service uses, it brings the views up to date by itself. */
async function openPlace(config: Config, data: DataDirectory) {
  await using opening = new AsyncDisposableStack()
  const isAlone = config.eventStoreUrl === undefined && !isDataDirectoryLocked(data.path)
  if (isAlone) opening.use(lockDataDirectory(data.path))
  const { store, origin } = await openStore(config, data)
  opening.use(store)
  const mongo = await openMongo(config)
  if (mongo) opening.use(mongo)
  const accounts = opening.use(await openAccounts(data, mongo))
  // Beside a running service without the origin: the service may be further than the events were when they were opened.
  const views = opening.use(await openViews(data, { clock, mongo, ...(isAlone && { origin }) }))
  if (isAlone) {
    const log = createLog('forget', config.logLevel)
    const projector = new Projector({ store, views, clock, log, telemetry: noTelemetry }, projections)
    const running = opening.use(runTogether([projector], new AbortController().signal))
    await running.whenAll([projector.ready])
  }
  const open = opening.move()
  const isShown = async (id: string): Promise<boolean> => {
    const position = (await store.read(streams.removal(id))).at(-1)?.position ?? 0
    return views.waitForCheckpoint('jobs', position, SHOWN_WITHIN_MS)
  }
  return {
    store,
    views,
    accounts,
    clock,
    ids,
    isAlone,
    isShown,
    cause: `forget/${ids.uuid()}`,
    attempts: new AttemptsUnderWay(),
    ledgers: new Ledgers({ store, clock, ids }),
    dropCached: (url: string) => dropMedia(data.media, url),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}
