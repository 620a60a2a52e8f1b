import { asJson } from '#packages/history/as-json.ts'
import { explainJob } from '#packages/history/explain-job.ts'
import type { HistoryStore } from '#packages/history/history-store.ts'
import { readJob } from '#packages/history/job-record.ts'
import type { CommandOf, Print } from './command.ts'

/** Says how a job came to its end, or to where it stands. */
export async function why(store: HistoryStore, { jobId, json }: CommandOf<'why'>, print: Print): Promise<void> {
  const job = await readJob(store, jobId)
  if (job === undefined) throw new Error(`there is no job ${jobId}`)
  const explanation = explainJob(job, Date.now())
  for (const line of json ? [asJson(explanation)] : explanation.sentences) print(line)
}
