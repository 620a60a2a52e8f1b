import { type Step, steps } from '#packages/domain/job/events.ts'
import type { Random } from '#test/doubles/random.ts'

export type Settings = {
  /** One process for everything, or one for each component. */
  mode: 'embedded' | 'distributed'
  /** The store can append to several streams at once; some embedded runs go without, to have crashes in between. */
  appendsTogether: boolean
  windowSeconds: number
  leaseSeconds: number
  /** No clock is further off than this, milliseconds. */
  maxSkewMs: number
  /** How far the operator's clock is off, milliseconds: weeks in some runs. */
  operatorSkewMs: number
  /** Processes of which one moves jobs on. */
  orchestrators: number
  /** Processes of which one keeps the views. */
  projections: number
  /** Processes of which one delivers to webhooks. */
  deliverers: number
  /** Webhooks of the first organization. */
  webhooks: number
  /** Processes per step. */
  workers: number
  /** The steps that one process serves, of each kind of worker. */
  stepsTogether: readonly (readonly Step[])[]
  slots: number
  start: number
  organizations: number
  jobs: number
  /** One organization asks for this many more, all at once; 0: none does. */
  flood: number
  /** Some inputs kill the worker that works on them. */
  deadlyInputs: boolean
  /** One organization has a long ledger: its next CreditsStated is near. */
  longPast: boolean
  /** The orchestrators are cut off for longer than any job may take. */
  blackout: boolean
  /** How much later everybody comes back and asks for the same again, about a day in milliseconds; 0: nobody does. */
  returnsAfterMs: number
  /** How often everybody comes back. */
  returns: number
  /** What is older than a day leaves the store. */
  retains: boolean
  /** Customers, and operators, delete the content of jobs that have ended. */
  forgetsJobs: boolean
  /** One organization is closed and forgotten. */
  closesOrganization: boolean
  /** The same is asked for again, and an earlier result would do. */
  reusesResults: boolean
  /** Customers also read of their jobs by id, and cancel some of them. */
  readsJobs: boolean
  /** Some jobs are asked for by keys with limits. */
  limitsKeys: boolean
  /** At the end everything is delivered once more, and every process begins from the start of the feed. */
  repeatsAll: boolean
  /** All requests come within so many milliseconds. */
  asksForMs: number
  /** No fault strikes later than this after the start, milliseconds. */
  faultsForMs: number
}

export const DAY_MS = 24 * 60 * 60 * 1000

const NOON = Date.UTC(2026, 10, 21, 12)
/** The end of November: some runs cross it. */
const MONTH_ENDS = Date.UTC(2026, 11, 1)

const apart = steps.map((step) => [step])
const light: readonly (readonly Step[])[] = [['fetch', 'caption'], ['speech-to-text'], ['extract']]

/** The settings of the run of a seed. */
export function settingsOf(random: Random): Settings {
  // Forks of the seed: a new setting leaves the others as they were.
  const [returning, retaining] = [random.fork('returning'), random.fork('retaining')]
  const [forgetting, closing] = [random.fork('forgetting'), random.fork('closing')]
  const operating = random.fork('operating')
  const viewing = random.fork('viewing')
  const owning = random.fork('owning')
  const delivering = random.fork('delivering')
  const together = random.fork('steps together')
  const distributed = random.chance(0.6)
  const flood = random.chance(0.08) ? random.between(20, 40) : 0
  const scale = random.chance(0.3)
    ? { windowSeconds: 180, leaseSeconds: 30, maxSkewMs: 10_000 }
    : { windowSeconds: 60, leaseSeconds: 10, maxSkewMs: 3000 }
  const asksForMs = random.between(2000, 25_000)
  const blackout = flood === 0 && random.chance(0.03)
  const retains = retaining.chance(0.06)
  // Before and after an Idempotency-Key expires; later where all that was there is to go.
  const returns = retains ? retaining.between(1, 2) : Number(returning.chance(0.08))
  const aDayLater = DAY_MS + (retains ? retaining.between(-60_000, 400_000) : returning.between(-300_000, 60_000))
  return {
    mode: distributed ? 'distributed' : 'embedded',
    appendsTogether: !distributed && random.fork('appending').chance(0.7),
    ...scale,
    maxSkewMs: random.chance(0.2) ? 0 : scale.maxSkewMs,
    operatorSkewMs: operating.chance(0.2) ? operating.between(-40, 80) * DAY_MS : 0,
    orchestrators: distributed && random.chance(0.4) ? owning.between(2, 3) : 1,
    projections: distributed && viewing.chance(0.4) ? viewing.between(2, 3) : 1,
    deliverers: distributed && delivering.chance(0.4) ? 2 : 1,
    webhooks: delivering.chance(0.3) ? delivering.between(1, 3) : 0,
    workers: distributed && random.chance(0.5) ? 2 : 1,
    stepsTogether: distributed ? together.pick([apart, light, light, [steps]]) : [steps],
    slots: flood > 0 ? together.pick([1, 2, 2]) : random.between(1, 4),
    start: random.chance(0.3) ? MONTH_ENDS - random.between(0, 120_000) : NOON,
    organizations: random.between(2, 4),
    // Where one organization floods, the others ask for little, so that their share of the slots suffices.
    jobs: random.between(2, flood > 0 ? 3 : 9),
    flood,
    deadlyInputs: flood === 0 && random.chance(0.3),
    longPast: random.chance(0.06) || (retains && retaining.chance(0.6)),
    blackout,
    returnsAfterMs: returns > 0 ? aDayLater : 0,
    returns,
    retains,
    forgetsJobs: forgetting.chance(retains ? 0.5 : 0.15),
    closesOrganization: closing.chance(0.06),
    reusesResults: flood === 0 && random.fork('reusing').chance(0.25),
    readsJobs: random.fork('books').chance(0.4),
    limitsKeys: random.fork('limits').chance(0.3),
    repeatsAll: random.chance(0.25),
    asksForMs,
    faultsForMs: (random.between(10, 90) + (blackout ? scale.windowSeconds + 100 : 0)) * 1000,
  }
}
