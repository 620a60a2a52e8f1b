import { asJson } from '#packages/history/questions/as-json.ts'
import { type Explanation, explainJob } from '#packages/history/questions/explain-job.ts'
import type { HistoryStore } from '#packages/history/questions/history-store.ts'
import { type JobRecord, readJob } from '#packages/history/questions/job-record.ts'
import { runningWorkers, TAKEN_WITHIN_MS } from '#packages/history/questions/nobody-ran.ts'
import type { CommandOf, Print } from './command.ts'

/** Says how a job came to its end, or to its current state. */
export async function why(store: HistoryStore, { jobId, json }: CommandOf<'why'>, print: Print): Promise<void> {
  const job = await readJob(store, jobId)
  if (job === undefined) throw new Error(`there is no job ${jobId}`)
  const explanation = await explained(store, job)
  for (const line of json ? [asJson(explanation)] : explanation.sentences) print(line)
}

/** Reads the events of other jobs only if this one waited long: they show why. */
async function explained(store: HistoryStore, job: JobRecord): Promise<Explanation> {
  const now = Date.now()
  const explanation = explainJob(job, now)
  const own = job.events.filter(({ stream }) => stream.startsWith('job-'))
  const [first] = own
  if (first === undefined || explanation.spent.waitedForWorker <= TAKEN_WITHIN_MS) return explanation
  const workers = await runningWorkers(store, { first, last: explanation.status === 'open' ? undefined : own.at(-1) })
  return explainJob(job, now, workers.nobodyRan(now))
}
