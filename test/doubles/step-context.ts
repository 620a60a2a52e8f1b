import { pino } from 'pino'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { type MediaCache, openMediaCache } from '#packages/content/media/media-cache.ts'
import { jobRequested } from '#packages/domain/job/job.fixture.ts'
import { nothingUsedYet } from '#packages/domain/job/used.ts'
import type { StepContext } from '#packages/jobs/processing/step.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'

/** The context of a job's step; `events` are the results before it. */
export const stepContext = (
  job: Partial<StepContext['job']>,
  more: Partial<Omit<StepContext, 'events'>> & { events?: readonly object[] } = {},
): StepContext => ({
  jobId: 'job',
  job: jobRequested(job),
  video: undefined,
  deadlineAt: clock.now() + 60_000,
  signal: new AbortController().signal,
  used: nothingUsedYet(),
  onRead() {},
  log: pino({ level: 'silent' }),
  ...more,
  events: (more.events ?? []) as StepContext['events'],
})

/** A machine's cache in a directory of its own. */
export async function temporaryCache(): Promise<{ cache: MediaCache } & AsyncDisposable> {
  const directory = await temporaryDirectory()
  const cache = await openMediaCache({ directory: directory.path, clock, ids, minFreeBytes: 0 })
  return { cache, [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() }
}
