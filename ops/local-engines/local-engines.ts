import { existsSync, readFileSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Engine, type EngineKind } from './engine.ts'
import { eventStoreServer } from './event-store-server.ts'
import { classPathOf, EngineUnavailableError } from './jars.ts'
import { kafkaBrokers } from './kafka.ts'
import { mongoServer, REPLICA_SET } from './mongo-server.ts'
import { freePorts, isServed } from './ports.ts'
import { endProcess, isAlive, type ProcessIdentity } from './process.ts'
import { findServerProgram, type ServerProgram } from './server-program.ts'

export type Family = 'kafka' | 'mongodb' | 'eventstoredb'

/** The environment variable that points to each family. */
export const variableOf: Readonly<Record<Family, string>> = {
  kafka: 'KAFKA_BROKERS',
  mongodb: 'MONGODB_URL',
  eventstoredb: 'EVENT_STORE_URL',
}

export const families = Object.keys(variableOf) as Family[]

/** The purpose of each family. */
const purposeOf: Readonly<Record<Family, string>> = {
  kafka: 'work queue',
  mongodb: 'views',
  eventstoredb: 'event store',
}

/** The state between two commands. */
type State = {
  ports: Partial<Record<Family, number[]>>
  processes: Record<string, ProcessIdentity>
  /** The real servers in use instead of a stand-in. They stay in use until their data is wiped. */
  programs?: Partial<Record<Family, ServerProgram>>
}

export type LocalEnginesOptions = {
  /** Contains the engines' data. */
  folder: string
  /** The project's root. */
  root: string
  /** See SpawnOptions. */
  detached: boolean
  /** Says where real servers are. */
  env: NodeJS.ProcessEnv
}

/** The ports of a server. A Kafka broker or an event store's node has a second one, for its peers. */
const portsEach = (family: Family, program: ServerProgram | undefined): number =>
  family === 'kafka' || (family === 'eventstoredb' && program) ? 2 : 1

/** How long an engine may take to end before it is killed. */
const END_MS = 10_000

/** The servers of the distributed mode on this machine, on free loopback ports, with their data in one folder. */
export class LocalEngines {
  readonly #options: LocalEnginesOptions
  readonly #state: State

  constructor(options: LocalEnginesOptions) {
    this.#options = options
    this.#state = existsSync(this.#stateFile)
      ? (JSON.parse(readFileSync(this.#stateFile, 'utf8')) as State)
      : { ports: {}, processes: {} }
  }

  get #stateFile(): string {
    return join(this.#options.folder, 'state.json')
  }

  /**
   * Starts the stopped engines of a family. Default: one broker, or as many as before.
   * @throws EngineUnavailableError this machine lacks a required program
   * @throws Error another number of brokers has data here; an engine does not start
   */
  async up(family: Family, brokers?: number): Promise<Engine[]> {
    const known = this.#state.ports[family]
    if (known === undefined) await this.#takeProgram(family)
    const each = portsEach(family, this.#programOf(family))
    const count = brokers ?? (known?.length ?? each) / each
    if (known !== undefined && known.length !== count * each)
      throw new Error('another number of brokers has its data here: run `ops/engines down --wipe` first')
    const ports = known ?? (await freePorts(count * each))
    const { folder, detached } = this.#options
    const engines = (await this.#kindsOf(family, ports)).map(
      (kind) => new Engine(kind, { folder, detached }, this.#state.processes[kind.name]),
    )
    this.#state.ports[family] = ports
    try {
      await settled(engines.map((engine) => engine.start()))
    } finally {
      for (const { kind, process } of engines) if (process) this.#state.processes[kind.name] = process
      await this.#save()
    }
    return engines
  }

  /** Ends the running engines. */
  async down({ wipe }: { wipe: boolean }): Promise<void> {
    await Promise.all(Object.values(this.#state.processes).map((process) => endProcess(process, END_MS)))
    this.#state.processes = {}
    if (!wipe) return this.#save()
    this.#state.ports = {}
    this.#state.programs = {}
    await rm(this.#options.folder, { recursive: true, force: true })
  }

  /** One line for each started engine. */
  status(): string[] {
    return Object.entries(this.#state.processes).map(
      ([name, process]) => `${name.padEnd(14)} ${isAlive(process) ? `runs as ${process.pid}` : 'has ended'}`,
    )
  }

  /** The server of a family, in words: which real server, or its stand-in. */
  labelOf(family: Family): string {
    const program = this.#programOf(family)
    return `${purposeOf[family]}: ${program?.label ?? this.#standIn(family)}`
  }

  #standIn(family: Family): string {
    switch (family) {
      case 'kafka': {
        const brokers = (this.#state.ports.kafka?.length ?? 2) / 2
        return brokers === 1 ? 'one Kafka broker' : `${brokers} Kafka brokers`
      }
      case 'mongodb':
        return "the tests' stand-in for MongoDB"
      case 'eventstoredb':
        return "the tests' double of EventStoreDB"
    }
  }

  /** The variables that point to the running families. */
  environment(): Record<string, string> {
    const runs = (family: Family): boolean =>
      Object.entries(this.#state.processes).some(([name, process]) => name.startsWith(family) && isAlive(process))
    return Object.fromEntries(families.filter(runs).map((family) => [variableOf[family], this.urlOf(family)]))
  }

  /** The URL for clients of a family with known ports. */
  urlOf(family: Family): string {
    const ports = this.#state.ports[family] ?? []
    switch (family) {
      case 'kafka':
        return ports.flatMap((port, index) => (index % 2 === 0 ? [`127.0.0.1:${port}`] : [])).join(',')
      case 'mongodb':
        return `mongodb://127.0.0.1:${ports[0]}/?${this.#programOf(family) ? `replicaSet=${REPLICA_SET}` : 'directConnection=true'}`
      case 'eventstoredb':
        return `esdb://127.0.0.1:${ports[0]}?tls=false`
    }
  }

  #programOf(family: Family): ServerProgram | undefined {
    return this.#state.programs?.[family]
  }

  async #takeProgram(family: Family): Promise<void> {
    const program = family === 'kafka' ? undefined : await findServerProgram(family, this.#options.env)
    if (program) this.#state.programs = { ...this.#state.programs, [family]: program }
  }

  async #kindsOf(family: Family, [port = 0, ...others]: readonly number[]): Promise<EngineKind[]> {
    const { folder, root } = this.#options
    const jars = join(root, '.engines/jars')
    const program = this.#programOf(family)?.path
    switch (family) {
      case 'kafka': {
        const here = join(root, 'ops/local-engines/kafka')
        const pairs = [port, ...others].flatMap((one, index, all) =>
          index % 2 === 0 ? [[one, all[index + 1] ?? 0] as const] : [],
        )
        const classPath = await classPathOf(join(here, 'pom.xml'), jars)
        return kafkaBrokers({ folder, portPairs: pairs, classPath, log4j: join(here, 'log4j2.properties') })
      }
      case 'mongodb': {
        if (program) return [mongoServer({ program, folder, port })]
        const here = join(root, 'test/doubles/mongodb')
        const classPath = await classPathOf(join(here, 'pom.xml'), jars)
        const file = join(folder, 'mongodb/data')
        return [
          served('mongodb', port, [
            'java',
            '-Xmx256m',
            '-XX:TieredStopAtLevel=1',
            '-cp',
            classPath,
            join(here, 'StandIn.java'),
            `${port}`,
            file,
          ]),
        ]
      }
      case 'eventstoredb': {
        if (program) return [eventStoreServer({ program, folder, ports: [port, others[0] ?? 0] })]
        const main = join(root, 'test/doubles/eventstoredb/main.ts')
        if (!existsSync(main)) throw new EngineUnavailableError('test/doubles/eventstoredb is not there')
        const words = ['--import', 'tsx/esm', main, '--port', `${port}`, '--data', join(folder, 'eventstoredb/data')]
        return [served('eventstoredb', port, [process.execPath, ...words])]
      }
    }
  }

  async #save(): Promise<void> {
    await mkdir(this.#options.folder, { recursive: true })
    await writeFile(`${this.#stateFile}.part`, JSON.stringify(this.#state, null, 2))
    await rename(`${this.#stateFile}.part`, this.#stateFile)
  }
}

/** Waits for all, then throws the error of the first that failed. */
async function settled(all: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(all)).find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}

/** A server that serves as soon as it listens. */
const served = (name: string, port: number, command: EngineKind['command']): EngineKind => ({
  name,
  ports: [port],
  prepare: async () => {},
  command,
  isReady: () => isServed(port),
})
