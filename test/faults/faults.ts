import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine } from '#ops/local-engines/engine.ts'
import type { Random } from '#test/doubles/random.ts'
import { until } from '#test/doubles/service/until.ts'
import type { Cluster } from './cluster.ts'
import { type Deployment, serviceNames } from './deployment.ts'
import type { Load } from './load.ts'
import { lostViews } from './lost-views.ts'
import { changesOfOwners } from './owners.ts'
import { storeAway } from './store-away.ts'
import { storePutBack } from './store-put-back.ts'

/** The things that a fault acts on. Customers post jobs all the while. */
export type Scene = { cluster: Cluster; deployment: Deployment; load: Load; chance: Random }

export type Fault = { name: string; happen(scene: Scene): Promise<void> }

/** Long enough for jobs to be at every step. */
const AMONG_WORK_MS = [500, 1500] as const

const BROKERS_AWAY_MS = 10_000
const ENGINE_AWAY_MS = 4000

/** Kills engines, waits `ms` milliseconds, and starts them again. A graceful stop ends their connections in order. */
async function away(engines: readonly Engine[], ms: number): Promise<void> {
  await Promise.all(engines.map((engine) => engine.kill()))
  await sleep(ms)
  await Promise.all(engines.map((engine) => engine.start()))
}

const pause = (chance: Random): Promise<void> => sleep(chance.between(...AMONG_WORK_MS))

/** Jobs of one organization that are posted at once. */
const POSTS = 64
/** Programs that each keep a core busy. */
const BUSY_LOOPS = 2

const burn = (): ChildProcess => spawn(process.execPath, ['-e', 'for (;;) {}'], { stdio: 'ignore' })

export const faults: readonly Fault[] = [
  {
    name: 'a busy machine and 64 posts of one organization at once',
    async happen({ load }) {
      const busy = Array.from({ length: BUSY_LOOPS }, burn)
      try {
        await load.orderAtOnce(POSTS)
      } finally {
        for (const child of busy) child.kill('SIGKILL')
      }
    },
  },
  {
    name: 'kill -9 of each service in turn',
    async happen({ deployment, chance }) {
      for (const service of serviceNames) {
        await pause(chance)
        await deployment.kill(service)
      }
      await deployment.isReady(180)
    },
  },
  {
    name: 'kill -9 of each of three brokers in turn, then all of them at once, which come back after 10 s',
    async happen({ cluster, chance }) {
      for (const broker of cluster.brokers) {
        await pause(chance)
        await away([broker], chance.between(1500, 3000))
      }
      await away(cluster.brokers, BROKERS_AWAY_MS)
    },
  },
  {
    name: 'kill -9 of MongoDB, which comes back after 4 s',
    happen: ({ cluster }) => away([cluster.views], ENGINE_AWAY_MS),
  },
  storeAway,
  storePutBack,
  changesOfOwners,
  {
    name: 'a fetch worker paused past its lease',
    async happen({ deployment, load }) {
      await using _second = await deployment.another('fetch')
      const held = await load.orderHeld()
      const claims = async () => (await load.history(held.jobId)).filter(({ type }) => type === 'StepStarted')
      const worker = await until('the job is claimed', async () => {
        const [first] = await claims()
        return first?.type === 'StepStarted' && Number(/\d+$/.exec(first.data.worker)?.[0])
      })
      await held.requested
      process.kill(worker, 'SIGSTOP')
      try {
        await until('another worker has claimed it', async () => (await claims()).length > 1, { seconds: 180 })
        await until('the job has ended without the first', () => load.hasEnded(held.jobId), { seconds: 180 })
      } finally {
        process.kill(worker, 'SIGCONT')
      }
      held.answer()
    },
  },
  ...lostViews,
]
