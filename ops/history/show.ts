import { followJob, followOrganization } from '#packages/history/questions/follow-on.ts'
import type { HistoryStore } from '#packages/history/questions/history-store.ts'
import { readJob } from '#packages/history/questions/job-record.ts'
import { readOrganization } from '#packages/history/questions/organization-record.ts'
import { fieldsOf, HistoryTimeline, lineOf } from '#packages/history/questions/timeline.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import type { CommandOf, Print } from './command.ts'

/** A timer that keeps the process alive: a store's own timers do not, while it waits for events. */
const stayAwake = (): NodeJS.Timeout => setInterval(() => undefined, 60_000)

/** Prints the events of a job or an organization. With `follow`, continues with new events. */
export async function show(
  store: HistoryStore,
  { id, follow, json }: CommandOf<'show'>,
  print: Print,
  signal: AbortSignal,
): Promise<void> {
  using _awake = stayAwake()
  const timeline = new HistoryTimeline()
  const tell = (event: StoredEvent): void => {
    const entry = timeline.add(event)
    print(json ? JSON.stringify(fieldsOf(entry)) : lineOf(entry, id))
  }
  const job = await readJob(store, id)
  if (job !== undefined) {
    for (const event of job.events) tell(event)
    if (follow) for await (const event of followJob(store, job, signal)) tell(event)
    return
  }
  const organization = await readOrganization(store, id)
  if (organization === undefined) throw new Error(`there is no job and no organization ${id}`)
  const revisions = new Map<string, number>()
  for await (const event of organization.events) {
    tell(event)
    revisions.set(event.stream, event.revision)
  }
  const { position } = organization
  if (follow) for await (const event of followOrganization(store, id, { position, revisions }, signal)) tell(event)
}
