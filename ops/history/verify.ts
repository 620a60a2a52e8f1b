import { existsSync } from 'node:fs'
import { isDataDirectoryLocked } from '#packages/adapters/sqlite/data-lock.ts'
import { type ComparedFeed, readVerifiedFile, type Verified as VerifiedFile } from '#packages/adapters/sqlite/verify.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { projections } from '#packages/events/views/projections.ts'
import type { Config } from '#packages/foundation/config/config.ts'
import { ArchivedHistory } from '#packages/history/archive/archived-history.ts'
import { checkArchive } from '#packages/history/archive/check-archive.ts'
import { manifestOf, readArchive } from '#packages/history/archive/open-archive.ts'
import { hasWholeData } from '#packages/history/archive/personal-data.ts'
import type { HistoryStore } from '#packages/history/questions/history-store.ts'
import type { Place } from '#packages/history/questions/read-history.ts'
import { ViewsCheck, type ViewsComparison } from '#packages/history/questions/verify/compare-views.ts'
import type { Outcome } from '#packages/history/questions/verify/outcome.ts'
import { type Verified, type VerifyOptions, verifyHistory } from '#packages/history/questions/verify/verify-history.ts'
import { type DataDirectory, openDataDirectory } from '#services/host/data-directory.ts'
import { openMongo, openViewsReader } from '#services/host/engines.ts'
import type { CommandContext, CommandOf } from './command.ts'
import { assertEventFile, openStoreHistory } from './open-history.ts'
import { Progress } from './progress.ts'
import { linesOfFindings, linesOfOutcomes, linesOfViews } from './verify-lines.ts'

/** The result of a verification. A finding is undefined if it was not checked: the lines say why. */
type Report = {
  /** Findings about files: the event file, or an archive's files. */
  findings: readonly object[]
  events: number
  invariants?: Outcome[]
  views?: ViewsComparison
  lines: string[]
}

/**
 * Proves the promises of ops/architecture.md as far as events can show them: on the history of a running or stopped
 * service, or on an archive. It only reads.
 * @returns whether everything holds
 */
export async function verify(
  command: CommandOf<'verify'>,
  { config, dataDir, archive, print }: CommandContext,
): Promise<boolean> {
  const report = await (archive === undefined ? verifyLive(command, config, dataDir) : verifyArchive(command, archive))
  const { lines, ...found } = report
  const { findings, invariants = [], views } = found
  const holds = findings.length === 0 && invariants.every(({ broken }) => broken === 0) && (views?.differing ?? 0) === 0
  for (const line of command.json ? [JSON.stringify({ holds, ...found })] : lines) print(line)
  return holds
}

async function verifyLive({ from }: CommandOf<'verify'>, config: Config, dataDir: string): Promise<Report> {
  assertEventFile(config, dataDir)
  const data = await openDataDirectory(dataDir)
  if (config.eventStoreUrl !== undefined || from !== undefined) return await verifyStore({ config, data, from })
  const { lines, findings, read, events } = await verifyFile(data.events, (feed) => verifyStore({ config, data, feed }))
  if (read !== undefined) return { ...read, lines: [...lines, ...read.lines] }
  return { findings, events, lines: [...lines, 'the invariants are not looked at: events are damaged'] }
}

type Verifying = { config: Config; data: DataDirectory; from?: Place | undefined; feed?: ComparedFeed }

/** @param feed the first events, if they were read already */
async function verifyStore({ config, data, from, feed }: Verifying): Promise<Report> {
  await using history = await openStoreHistory(config, data.path)
  const { store } = history
  // If the service does not run, open jobs past their deadline are no error.
  const isWorking = config.eventStoreUrl !== undefined || isDataDirectoryLocked(data.path)
  // The views need all events.
  await using mongo = from === undefined ? await openMongo(config) : undefined
  await using reader = from === undefined ? await openViewsReader(data, { clock, mongo }) : undefined
  const views = reader && new ViewsCheck(store, reader, projections)
  await views?.begin()
  const verified = await passOver(feed === undefined ? store : fedBy(feed, store), {
    from,
    after: history.beginAt(from),
    workingAt: isWorking ? Date.now() : undefined,
    isRemoved: (stream) => store.isRemoved(stream),
    ...(feed && { jsonOf: feed.jsonOf }),
    beside: (events) => views?.take(events),
  })
  const compared = await views?.end()
  const notLooked = 'with --from, neither the file nor the views are compared: both need all events'
  return {
    findings: [],
    events: verified.events,
    invariants: verified.outcomes,
    ...(compared && { views: compared }),
    lines: [...linesOfOutcomes(verified), ...(from === undefined ? linesOfViews(compared) : [notLooked])],
  }
}

/** A store with a feed that starts with events that were read already. */
function fedBy({ batches, end }: ComparedFeed, store: HistoryStore): HistoryStore {
  return {
    read: (stream, options) => store.read(stream, options),
    readBackwards: (stream) => store.readBackwards(stream),
    async *follow(options) {
      yield* batches
      yield* store.follow({ ...options, after: end })
    },
  }
}

async function verifyArchive({ from }: CommandOf<'verify'>, directory: string): Promise<Report> {
  // Checks the archive before opening its files, because opening a missing one would fail.
  const findings = await checkArchive(directory)
  const { withContent, files } = manifestOf(directory)
  const lines = linesOfFindings(findings, files.length)
  if (findings.length > 0) return { findings, events: 0, lines }
  const isWhole = (type: Parameters<typeof hasWholeData>[0]): boolean => withContent || hasWholeData(type)
  // With one thread, DuckDB returns rows in their order.
  const verified = await readArchive(directory, { threads: 1 }, (archive) =>
    passOver(new ArchivedHistory(archive), {
      from: from ?? archive.manifest.from ?? undefined,
      isWhole,
      keepsOld: true,
    }),
  )
  return {
    findings,
    events: verified.events,
    invariants: verified.outcomes,
    lines: [...lines, ...linesOfOutcomes(verified)],
  }
}

async function passOver(store: HistoryStore, options: VerifyOptions): Promise<Verified> {
  const progress = new Progress()
  const verified = await verifyHistory(store, { ...options, tell: (events) => progress.tell(events) })
  progress.end(verified.events)
  return verified
}

const lineOf = (finding: object): string =>
  Object.entries(finding)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')
    // Damaged text must not move the cursor.
    .replace(/[\p{Cc}\u2028\u2029]/gu, ' ')

/**
 * Checks the whole event file against its checksums while reading its events. It only reads the file, and the service
 * may run. It deletes a note of damage that is repaired: a running service trusts its events again after its next
 * start.
 */
async function verifyFile<Read>(
  events: string,
  read: (feed: ComparedFeed) => Promise<Read>,
): Promise<VerifiedFile & { read: Read | undefined; lines: string[] }> {
  if (!existsSync(events)) throw new Error(`there is no event file ${events}`)
  const verified = await readVerifiedFile(events, read)
  const { findings } = verified
  const holds = findings.length === 0
  const found = holds ? 'everything holds' : `${findings.length} damaged: put back a copy from before (ops/history)`
  return { ...verified, lines: [...findings.map(lineOf), `${verified.events} events compared: ${found}`] }
}
