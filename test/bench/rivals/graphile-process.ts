/** The same jobs on Graphile Worker: three tasks, each adding the next, on a PostgreSQL that syncs every commit. */
import { Logger, makeWorkerUtils, run as runWorkers, type WorkerUtils } from 'graphile-worker'
import { allOf, Countdown } from '../kit/all-of.ts'
import { serveCalls } from '../kit/serve-calls.ts'
import { VIDEO_URL } from '../service/noop-steps.ts'
import { startPostgres } from './postgres.ts'
import type { Contest, Opening } from './rival.ts'

const POOL = 16

const end = new AsyncDisposableStack()
const completed = new Countdown()
let utils: WorkerUtils

async function open({ directory, slots }: Opening): Promise<void> {
  const postgres = end.use(await startPostgres(directory))
  // This logger writes nothing, because log lines cost CPU.
  const logger = new Logger(() => () => {})
  const worker = {
    connectionString: postgres.url,
    maxPoolSize: POOL,
    // All steps share its slots.
    concurrentJobs: 3 * slots,
    // This size follows its documentation's advice for throughput.
    localQueue: { size: 12 * slots },
    completeJobBatchDelay: 0,
    logger,
  }
  utils = await makeWorkerUtils({ connectionString: postgres.url, maxPoolSize: POOL, logger })
  await utils.migrate()
  end.defer(() => utils.release())
  const runner = await runWorkers({
    preset: { worker },
    noHandleSignals: true,
    taskList: {
      fetch: async (payload, { addJob }) => void (await addJob('caption', payload)),
      caption: async (payload, { addJob }) => void (await addJob('speech-to-text', payload)),
      'speech-to-text': async () => {},
    },
  })
  end.defer(() => runner.stop())
  runner.events.on('job:complete', ({ job }) => {
    if (job.task_identifier === 'speech-to-text') completed.one()
  })
}

async function run({ jobs, addsAtOnce }: Contest): Promise<{ seconds: number }> {
  const from = performance.now()
  const done = completed.from(jobs)
  await allOf(jobs, addsAtOnce, () => utils.addJob('fetch', { url: VIDEO_URL, mode: 'auto' }))
  await done
  return { seconds: (performance.now() - from) / 1000 }
}

serveCalls({ open, run }, () => end.disposeAsync())
