import { type Step, steps } from '#packages/domain/job/events.ts'
import type { Random } from '#test/doubles/random.ts'

export const DAY_MS = 24 * 60 * 60 * 1000

const NOON = Date.UTC(2026, 10, 21, 12)
/** The end of November: some runs cross it. */
const MONTH_ENDS = Date.UTC(2026, 11, 1)

/** The steps that one process serves, for each kind of worker. */
type Groups = readonly (readonly Step[])[]
const apart: Groups = steps.map((step) => [step])
const light: Groups = [['fetch', 'caption'], ['speech-to-text'], ['extract']]
const all: Groups = [steps]

export type Settings = ReturnType<typeof settingsOf>

/** The settings of the run of a seed. */
export function settingsOf(random: Random) {
  // Forks of the seed: a new setting does not change the others.
  const [returning, retaining] = [random.fork('returning'), random.fork('retaining')]
  const [forgetting, closing] = [random.fork('forgetting'), random.fork('closing')]
  const operating = random.fork('operating')
  const viewing = random.fork('viewing')
  const owning = random.fork('owning')
  const delivering = random.fork('delivering')
  const batching = random.fork('batching')
  const together = random.fork('steps together')
  const distributed = random.chance(0.6)
  const flood = random.chance(0.08) ? random.between(20, 40) : 0
  const scale = random.chance(0.3)
    ? { windowSeconds: 180, leaseSeconds: 30, maxSkewMs: 10_000 }
    : { windowSeconds: 60, leaseSeconds: 10, maxSkewMs: 3000 }
  const asksForMs = random.between(2000, 25_000)
  const blackout = flood === 0 && random.chance(0.03)
  const retains = retaining.chance(0.06)
  // Before and after an Idempotency-Key expires; later if all old streams have to go.
  const returns = retains ? retaining.between(1, 2) : Number(returning.chance(0.08))
  const aDayLater = DAY_MS + (retains ? retaining.between(-60_000, 400_000) : returning.between(-300_000, 60_000))
  return {
    /** One process for everything, or one for each component. */
    mode: distributed ? ('distributed' as const) : ('embedded' as const),
    /** The store can append to several streams at once. Some embedded runs cannot, to have crashes in between. */
    appendsTogether: !distributed && random.fork('appending').chance(0.7),
    ...scale,
    /** The largest error of any clock, milliseconds. */
    maxSkewMs: random.chance(0.2) ? 0 : scale.maxSkewMs,
    /** The error of the operator's clock, milliseconds: weeks in some runs. */
    operatorSkewMs: operating.chance(0.2) ? operating.between(-40, 80) * DAY_MS : 0,
    /** The number of orchestrators; one of them moves jobs on. */
    orchestrators: distributed && random.chance(0.4) ? owning.between(2, 3) : 1,
    /** The number of processes with projections; one of them keeps the views. */
    projections: distributed && viewing.chance(0.4) ? viewing.between(2, 3) : 1,
    /** The number of processes that can deliver; one of them delivers to webhooks. */
    deliverers: distributed && delivering.chance(0.4) ? 2 : 1,
    /** The number of processes with batches; one of them moves batches on. */
    batchOwners: distributed && batching.chance(0.4) ? 2 : 1,
    /** The number of requested batches. */
    batches: flood === 0 && batching.chance(0.35) ? batching.between(1, 3) : 0,
    /** Webhooks of the first organization. */
    webhooks: delivering.chance(0.3) ? delivering.between(1, 3) : 0,
    /** Processes per step. */
    workers: distributed && random.chance(0.5) ? 2 : 1,
    stepsTogether: distributed ? together.pick([apart, light, light, all]) : all,
    slots: flood > 0 ? together.pick([1, 2, 2]) : random.between(1, 4),
    start: random.chance(0.3) ? MONTH_ENDS - random.between(0, 120_000) : NOON,
    organizations: random.between(2, 4),
    // If one organization floods, the others request little, so that their share of the slots suffices.
    jobs: random.between(2, flood > 0 ? 3 : 9),
    /** One organization requests this many more jobs, all at once; 0: none does. */
    flood,
    /** Some inputs kill the worker that works on them. */
    deadlyInputs: flood === 0 && random.chance(0.3),
    /** One organization has a long ledger: its next CreditsStated is near. */
    longPast: random.chance(0.06) || (retains && retaining.chance(0.6)),
    /** The orchestrators are cut off for longer than any job may take. */
    blackout,
    /** How much later all customers return and repeat their requests, about a day in milliseconds; 0: they do not. */
    returnsAfterMs: returns > 0 ? aDayLater : 0,
    /** How often all customers return. */
    returns,
    /** Streams that are older than a day leave the store. */
    retains,
    /** Customers, and operators, delete the content of ended jobs. */
    forgetsJobs: forgetting.chance(retains ? 0.5 : 0.15),
    /** One organization is closed and forgotten. */
    closesOrganization: closing.chance(0.06),
    /** Requests are made again, and accept an earlier result. */
    reusesResults: flood === 0 && random.fork('reusing').chance(0.25),
    /** Customers also read their jobs by id, and cancel some of them. */
    readsJobs: random.fork('books').chance(0.4),
    /** Keys with limits request some of the jobs. */
    limitsKeys: random.fork('limits').chance(0.3),
    /** At the end everything is delivered once more, and every process begins from the start of the feed. */
    repeatsAll: random.chance(0.25),
    /** All requests come within this many milliseconds. */
    asksForMs,
    /** No fault occurs later than this after the start, milliseconds. */
    faultsForMs: (random.between(10, 90) + (blackout ? scale.windowSeconds + 100 : 0)) * 1000,
  }
}
