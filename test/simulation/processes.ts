import type { StepTask } from '#contracts/generated/messages.ts'
import { besideOthers, Ledgers, ledgerDefaults } from '#packages/accounts/ledger/ledgers.ts'
import { Organizations } from '#packages/accounts/organizations/organizations.ts'
import { MemoryWorkQueue } from '#packages/adapters/memory/work-queue.ts'
import { perStep, type Step, steps } from '#packages/domain/job/events.ts'
import { closeOrganization } from '#packages/history/removal/close-organization.ts'
import { forgetJob, type JobToForget } from '#packages/history/removal/forget-job.ts'
import { AttemptsUnderWay } from '#packages/jobs/processing/attempts-under-way.ts'
import { noTelemetry } from '#packages/telemetry/telemetry.ts'
import { type Component, type ComponentPorts, components } from '#services/host/components.ts'
import { ingressDefaults } from '#services/ingress/options.ts'
import { noSources } from '#test/doubles/watches/no-sources.ts'
import { sourceOf } from './batch-customers.ts'
import { faultyQueue } from './faults/faulty-queue.ts'
import { faultyStore } from './faults/faulty-store.ts'
import { faultyViews } from './faults/faulty-views.ts'
import { Line } from './faults/line.ts'
import { IngressNode } from './ingress-node.ts'
import type { Settings } from './settings.ts'
import { silentLog } from './silent-log.ts'
import { stepWorks } from './step-works.ts'
import { sweeper } from './sweeper.ts'
import { Life } from './time/life.ts'
import type { World } from './world.ts'

export type ComponentName = keyof typeof components

/** A part of the service that a process runs. */
export type Part = ComponentName | 'ingress' | 'operator' | 'sweeper'

/** The actions of operators. Each may fail and still have taken effect. */
export type Operator = {
  organizations: Organizations
  forget(job: JobToForget): Promise<void>
  close(orgId: string): Promise<void>
}

/** A process. While it is down it does nothing. After a restart it knows only what it reads from its ports. */
export class Process {
  readonly name: string
  readonly parts: readonly Part[]
  readonly #world: World
  readonly #skewMs: number
  readonly #lives: Life[] = []
  #life: Life | undefined
  #queue: MemoryWorkQueue | undefined
  /** Its ingress nodes, while they serve. */
  nodes: IngressNode[] = []
  /** Undefined unless this is the operator's process, and runs. */
  operator: Operator | undefined

  constructor(world: World, name: string, parts: readonly Part[]) {
    this.#world = world
    this.name = name
    this.parts = parts
    const { maxSkewMs, operatorSkewMs } = world.settings
    const skewMs = world.random.fork(`skew of ${name}`).between(-maxSkewMs, maxSkewMs)
    this.#skewMs = parts.includes('operator') ? skewMs + operatorSkewMs : skewMs
  }

  get life(): Life | undefined {
    return this.#life
  }

  start(): void {
    const world = this.#world
    const life = new Life(`${this.name}.${this.#lives.length + 1}`, world.scheduler, this.#skewMs)
    this.#lives.push(life)
    this.#life = life
    world.trace.add(life.name, `starts, ${this.#skewMs} ms off`)
    const starting = world.record.hinder(life.name, Number.POSITIVE_INFINITY)
    life.death.signal.addEventListener('abort', () => {
      starting.to = Math.min(starting.to, world.scheduler.now)
      this.#died(life)
    })
    const ports = this.#portsOf(new Line(world, life))
    const made = this.parts.map((part) => this.#make(part, ports))
    const runs = made.map((part) => part.run(life.stopping.signal))
    void Promise.all(made.map(({ ready }) => ready)).then(() => {
      if (!life.alive) return
      starting.to = world.scheduler.now
      this.nodes = made.filter((part) => part instanceof IngressNode)
    })
    void Promise.all(runs).then(
      () => this.#ended(life, 'has stopped'),
      (error: unknown) => this.#ended(life, `ends with ${error}`),
    )
  }

  /** Asks it to stop, and kills it if that takes too long, as a supervisor does. */
  stop(): void {
    const life = this.#life
    if (life === undefined) return
    this.#world.trace.add(life.name, 'is asked to stop')
    this.#world.record.hinder(life.name, STOPS_WITHIN_MS)
    this.nodes = []
    life.stopping.abort(new Error('the service stops'))
    this.#world.scheduler.after(STOPS_WITHIN_MS, () => life.die())
  }

  crash(): void {
    if (this.#life === undefined) return
    this.#world.trace.add(this.#life.name, 'crashes')
    this.#life.die()
  }

  /** Delivers tasks to its workers once more, whichever process published them. */
  deliver(tasks: readonly StepTask[]): void {
    for (const task of tasks) if (this.parts.includes(task.step as Part)) void this.#queue?.publish(task)
  }

  /** The end of the run. */
  end(): void {
    this.#life = undefined
    for (const life of this.#lives) life.end()
  }

  #ended(life: Life, how: string): void {
    if (!life.alive) return
    this.#world.trace.add(life.name, how)
    life.die()
  }

  #died(life: Life): void {
    if (this.#life !== life) return
    this.#life = undefined
    this.nodes = []
    this.operator = undefined
    const { random, record, scheduler, faults } = this.#world
    const chance = random.fork(`restart of ${life.name}`)
    const ms = faults.on && chance.chance(0.15) ? chance.between(5000, 30_000) : chance.between(100, 3000)
    record.hinder(life.name, ms + MESSAGE_LOST_MS)
    scheduler.after(ms, () => this.start())
  }

  #make(part: Part, ports: ComponentPorts & { line: Line }): Component {
    const { settings, mutation } = this.#world
    const { windowSeconds, leaseSeconds, slots } = settings
    const mine = mutation.ports === undefined ? ports : { ...ports, ...mutation.ports(part, ports) }
    const followsLedgers = !this.parts.includes('orchestrator')
    const own = { windowSeconds, cachedEntries: CACHED, followsLedgers }
    if (part === 'ingress') return new IngressNode(mine, own, mutation)
    if (part === 'operator') return this.#operator(mine)
    if (part === 'sweeper') return sweeper(mine, this.#world)
    return components[part](mine, {
      works: stepWorks(ports.line, slots),
      slots: perStep(() => slots),
      worker: ports.line.life.name,
      leaseSeconds,
      windowSeconds,
      releaseClaimsAtStart: settings.mode === 'embedded',
      dropCached: async () => {},
      webhooks: this.#world.receivers.reachedBy(ports.line),
      watches: noSources,
      batches: {
        readSource: sourceOf(this.#world),
        dateOf: async () => null,
        acceptance: { ...ingressDefaults, windowSeconds },
        paceFactor: 1,
      },
    })
  }

  #operator(ports: ComponentPorts): Component {
    this.operator = {
      organizations: new Organizations(ports),
      forget: (job) => forgetJob({ ...ports, dropCached: async () => {} }, job),
      close: (orgId) => closeOrganization(ports, { orgId, cause: 'operator' }),
    }
    return { run: (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())) }
  }

  #portsOf(line: Line): ComponentPorts & { line: Line } {
    const { clock } = line.life
    const ids = { uuid: () => line.random.uuid(), random: () => line.random.next() }
    const store = faultyStore(line)
    const isEmbedded = this.#world.settings.mode === 'embedded'
    const inner = isEmbedded ? new MemoryWorkQueue() : this.#world.broker
    this.#queue = inner
    const options = isEmbedded ? ledgerDefaults : besideOthers
    const ledgers = new Ledgers({ store, clock, ids }, { ...options, cachedLedgers: CACHED })
    const log = silentLog(this.#world, line.life)
    return {
      store,
      views: faultyViews(line),
      queue: faultyQueue(line, inner),
      ownership: isEmbedded ? undefined : this.#world.owners.memberOf(line.life),
      viewsOwnership: isEmbedded ? undefined : this.#world.viewsOwners.memberOf(line.life),
      webhooksOwnership: isEmbedded ? undefined : this.#world.webhookOwners.memberOf(line.life),
      batchesOwnership: isEmbedded ? undefined : this.#world.batchOwners.memberOf(line.life),
      ledgers,
      clock,
      ids,
      log,
      telemetry: noTelemetry,
      attempts: new AttemptsUnderWay(),
      processors: new Map(),
      line,
    }
  }
}

/** Ledgers and keys that a process caches: few, so that it drops some. */
const CACHED = 3

const STOPS_WITHIN_MS = 10_000

/** First pause before a message that a dead worker had taken is delivered again, milliseconds. */
const MESSAGE_LOST_MS = 10_000

/** The names of the processes that serve a step, including those that might exist. */
export const workersOf = ({ stepsTogether }: Settings, step: Step): string[] => {
  const name = stepsTogether.find((group) => group.includes(step))?.join('+')
  return [`${name}-1`, `${name}-2`]
}

/**
 * The processes of a run: everything in one; or each component in its own, some of them twice, and some steps together.
 */
export function processesOf(world: World): Process[] {
  const { mode, workers, orchestrators, projections, deliverers, batchOwners, retains, stepsTogether } = world.settings
  const several: Partial<Record<ComponentName, number>> = {
    orchestrator: orchestrators,
    projections,
    webhooks: deliverers,
    batches: batchOwners,
  }
  const all = Object.keys(components) as ComponentName[]
  const make = (name: string, ...parts: Part[]): Process => new Process(world, name, parts)
  const others = [make('operator', 'operator'), ...(retains ? [make('sweeper', 'sweeper')] : [])]
  if (mode === 'embedded') return [make('service', ...all, 'ingress', 'ingress'), ...others]
  const copies = (count: number, parts: readonly ComponentName[]): Process[] =>
    Array.from({ length: count }, (_, index) => make(`${parts.join('+')}-${index + 1}`, ...parts))
  const single = all.filter((name) => !steps.some((step) => step === name))
  const each = single.flatMap((name) => copies(several[name] ?? 1, [name]))
  return [
    ...each,
    ...stepsTogether.flatMap((group) => copies(workers, group)),
    make('ingress-1', 'ingress'),
    make('ingress-2', 'ingress'),
    ...others,
  ]
}
