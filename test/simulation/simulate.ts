import { BatchCustomers } from './batch-customers.ts'
import { Customers } from './customers.ts'
import { disturb } from './disturbances.ts'
import type { Fault } from './faults/faults.ts'
import { checkInvariants } from './invariants/invariants.ts'
import { rawEvent, rawEvents } from './invariants/raw-events.ts'
import { type Removal, removalsOf } from './invariants/removals.ts'
import type { Mutation } from './mutations.ts'
import { registerOrganizations } from './organizations.ts'
import { type Process, processesOf } from './processes.ts'
import { Rest } from './rest.ts'
import { DAY_MS } from './settings.ts'
import { World } from './world.ts'

export type Outcome = {
  seed: number
  /** Violations of invariants; none if the run passed. */
  violations: string[]
  hash: string
  simulatedMs: number
  faults: ReadonlyMap<Fault, number>
  removals: ReadonlyMap<Removal, number>
  events: number
  /** Time, process, event; empty unless requested. */
  trace: readonly string[]
}

export type SimulateOptions = { keepsTrace?: boolean; mutation?: Mutation }

/** Nothing may happen for this long after the end, milliseconds. */
const QUIET_MS = 6000

/** After this, milliseconds, every process has been restarted. */
const RESTARTED_MS = 3500

/** After this, milliseconds, everything that the last faults delayed has arrived. */
const UNDER_WAY_MS = 8500

/** How long faults occur after the customers have returned, milliseconds. */
const RETURN_MS = 20_000

/**
 * How long the service may take to come to rest after the last fault, beyond the window of the last job. With batches
 * it is longer, because their items begin again.
 */
const REST_MS = 300_000
const BATCHES_REST_MS = 3 * 3_600_000

/** Runs one seed. The same seed always gives the same run. */
export async function simulate(
  seed: number,
  { keepsTrace = false, mutation = {} }: SimulateOptions = {},
): Promise<Outcome> {
  const world = new World(seed, { keepsTrace, mutation })
  const { scheduler, settings, faults, record } = world
  const organizations = await registerOrganizations(world)
  const processes = processesOf(world)
  const customers = new Customers(world, organizations, processes)
  const batchCustomers = new BatchCustomers(world, organizations, processes)
  const rest = new Rest(world, processes, [customers, batchCustomers])
  world.trace.add('run', JSON.stringify(settings))
  const onRejection = (reason: unknown): void => void record.violations.push(`nobody handles ${reason}`)
  process.on('unhandledRejection', onRejection)
  const { stackTraceLimit } = Error
  // Thousands of errors are made on purpose, and their stack traces would take a fifth of the time.
  if (!keepsTrace) Error.stackTraceLimit = 0
  try {
    for (const one of processes) one.start()
    customers.start()
    batchCustomers.start()
    disturb(world, processes)
    await scheduler.run(() => rest.reached, settings.start + settings.faultsForMs)
    let rests = await comesToRest(world, rest)
    for (let left = settings.returns; rests && left > 0; left--) {
      await comeBack(world, customers)
      rests = await comesToRest(world, rest)
    }
    if (!rests) record.violations.push(`8: no rest: ${rest.missing.join('; ')}`)
    if (rests) await deliverAll(world)
    await checkQuiet(world)
    if (rests && settings.repeatsAll) await checkRepeats(world, processes, rest)
    await checkInvariants(world, organizations)
  } finally {
    for (const one of processes) one.end()
    await scheduler.run(() => false, scheduler.now)
    process.off('unhandledRejection', onRejection)
    Error.stackTraceLimit = stackTraceLimit
  }
  for (const event of rawEvents(world.events)) world.trace.mix(`${event.id} ${event.recordedAt}`)
  for (const violation of record.violations) world.trace.add('violated', violation)
  return {
    seed,
    violations: record.violations,
    hash: world.trace.hash,
    simulatedMs: scheduler.now - settings.start - scheduler.skippedMs,
    faults: faults.counts,
    removals: removalsOf(world.events.ever.map(rawEvent), record),
    events: world.events.feed.length,
    trace: world.trace.lines,
  }
}

/** About a day later all customers repeat their requests, and faults occur again. */
async function comeBack({ scheduler, settings, faults, sweeps, trace }: World, customers: Customers): Promise<void> {
  scheduler.skip(settings.returnsAfterMs)
  sweeps.until = Number.POSITIVE_INFINITY
  trace.add('run', 'everybody comes back')
  faults.on = true
  customers.comeBack()
  await scheduler.run(() => customers.idle, scheduler.now + RETURN_MS)
}

/** Waits for a lasting rest: a late message, or a request to a process that wakes up, may end it again. */
async function comesToRest(
  { scheduler, settings, events, faults, sweeps, trace }: World,
  rest: Rest,
): Promise<boolean> {
  faults.on = false
  sweeps.until = scheduler.now
  trace.add('run', 'no more faults')
  const until = scheduler.now + settings.windowSeconds * 1000 + (settings.batches > 0 ? BATCHES_REST_MS : REST_MS)
  while (await scheduler.run(() => rest.reached, until)) {
    const before = events.feed.length
    await scheduler.run(() => false, scheduler.now + UNDER_WAY_MS)
    if (rest.reached && events.feed.length === before) return true
  }
  return false
}

/** The longest interval at which a sleeping part checks what is due, with the error of its clock, milliseconds. */
const LOOKS_AGAIN_MS = 75_000

/** The longest time that the attempts of one delivery take, with their jitter, milliseconds. */
const ATTEMPTS_MS = 5 * DAY_MS

/** Without faults, no attempt is this late, milliseconds. */
const OVERDUE_MS = 3_600_000

/** Failed deliveries are attempted again for days. Most of the time in between is skipped. */
async function deliverAll({ scheduler, receivers, record }: World): Promise<void> {
  const until = scheduler.now + ATTEMPTS_MS
  const looksAgain = () => scheduler.run(() => false, scheduler.now + LOOKS_AGAIN_MS)
  // The next look finds what became due while a day was skipped.
  if ((receivers.nextAt() ?? scheduler.now) < scheduler.now) await looksAgain()
  for (let next = receivers.nextAt(); next !== undefined; next = receivers.nextAt()) {
    if (scheduler.now > until || next < scheduler.now - OVERDUE_MS)
      return void record.violations.push('15: deliveries are still open')
    // Deliveries that failed together are attempted again at about the same time.
    scheduler.skip(Math.ceil(Math.max(0, next - scheduler.now) * 1.1))
    await looksAgain()
  }
}

/** Invariant 8: at rest, no work is outstanding. */
async function checkQuiet({ scheduler, events, record }: World): Promise<void> {
  // Only time brings these: counts of requests are recorded at any moment of an hour, and the webhooks of URLs end days
  // after they were last named.
  const isByTime = (event: (typeof events.feed)[number]): boolean =>
    event?.stream.startsWith('requests-') === true || event?.type === 'WebhookRemoved'
  const written = (): number => events.feed.filter((event) => !isByTime(event)).length
  const before = { events: written(), publications: record.publications }
  await scheduler.run(() => false, scheduler.now + QUIET_MS)
  if (written() !== before.events) record.violations.push('8: events were appended after the rest')
  if (record.publications !== before.publications) record.violations.push('8: work was published after the rest')
}

/**
 * Invariant 7: every task is delivered once more, all processes begin at the start of the feed, and nothing changes.
 */
async function checkRepeats(world: World, processes: readonly Process[], rest: Rest): Promise<void> {
  const { scheduler, events, documents, record } = world
  world.trace.add('run', 'everything comes once more')
  const viewsOf = (): string => JSON.stringify([...documents.collections].map(([name, held]) => [name, [...held]]))
  const before = { events: events.feed.length, publications: record.publications, views: viewsOf() }
  if (documents.state !== undefined) documents.state = { ...documents.state, checkpoint: 0 }
  for (const process of processes) process.crash()
  await scheduler.run(() => false, scheduler.now + RESTARTED_MS)
  for (const process of processes) process.deliver([...record.tasks.values()])
  await scheduler.run(() => false, scheduler.now + QUIET_MS)
  const { position, end } = rest.viewsAt
  if (position < end) record.violations.push(`7: the views have read the feed again to ${position} of ${end} only`)
  if (events.feed.length !== before.events) record.violations.push('7: repeats have led to events')
  if (record.publications !== before.publications) record.violations.push('7: repeats have led to work')
  if (viewsOf() !== before.views) record.violations.push('7: repeats have changed the views')
}
