import type { TimelineEvent } from '../../contracts/generated/http.ts'
import type { VideoIntelligence } from '../client/client.ts'
import type { Jobs } from '../client/jobs.ts'
import { sleep } from '../client/sleep.ts'
import { given, type Options, oneWord } from './command.ts'
import { type Context, noWords, program } from './context.ts'
import { type Place, type Progress, print, withProgress } from './terminal.ts'

const steps: Readonly<Record<NonNullable<TimelineEvent['step']>, string>> = {
  fetch: 'Looking at the video',
  caption: 'Reading captions',
  'speech-to-text': 'Transcribing speech',
  extract: 'Extracting',
}

/** A job settles within milliseconds of its end; each look is a request that counts. */
const SETTLING_MS = 500

/** The progress that an event of a job shows; undefined: none. */
export function statusOf({ type, step, title, reason }: TimelineEvent): string | undefined {
  if (type === 'accepted') return 'Waiting for a worker'
  if (type === 'step_started' && step !== undefined) return steps[step]
  if (type === 'step_retry') return `Waiting to try again (${reason})`
  if (type === 'video_found' && title) return `Found: ${title}`
  return undefined
}

/** Shows the progress of a job until it ends. It is only for display, so an error ends it silently. */
async function showEvents(client: VideoIntelligence, jobId: string, progress: Progress, signal: AbortSignal) {
  try {
    for await (const event of client.follow(jobId, { signal })) {
      const status = statusOf(event)
      if (status !== undefined) progress.show(status)
    }
  } catch {
    // The wait for the result continues, and reports failures.
  }
}

/** `id`: a job that was requested earlier. */
export type Requested<B> = { body: B } | { id: string }

/** The options of every command that runs one job. */
export const runOptions = {
  reuse: { about: 'the result of the same request of the last 24 hours, for 0 credits, if there is one' },
  id: { value: 'JOB', about: 'wait for a job that was requested before, in place of a URL' },
} as const satisfies Options

/** The job that the command line names: an earlier one, or a new one with these fields. @throws UsageError */
export async function requestedIn<F extends object>(
  { words, values }: Pick<Context<typeof runOptions>, 'words' | 'values'>,
  fields: () => F | Promise<F>,
) {
  if (values.id === undefined) {
    const url = oneWord(words, 'the URL of a video')
    return { body: { url, ...(await fields()), ...given({ reuse: values.reuse }) } }
  }
  noWords(words)
  return { id: values.id }
}

/**
 * Requests a job, or uses an earlier one, and waits for its end. Ctrl-C cancels the job only if it was requested here.
 * @throws VideoIntelligenceError with the job's own code if it failed; the signal's reason
 */
export async function runJob<B extends object, R>(
  context: Place & { signal: AbortSignal },
  client: VideoIntelligence,
  jobs: Jobs<B, R>,
  requested: Requested<B>,
): Promise<{ jobId: string; result: R }> {
  // Without the signal, because an interrupted request might still be accepted, and its id would be lost.
  const request = (body: B) =>
    withProgress(context, 'Requesting', (progress) => asked(jobs, body, progress, context.signal))
  const jobId = 'id' in requested ? requested.id : await request(requested.body)
  try {
    const wait = (progress: Progress) => waited(client, jobs, jobId, progress, context.signal)
    return { jobId, result: await withProgress(context, 'Waiting', wait) }
  } catch (error) {
    if (context.signal.aborted) await leave(context, client, jobId, 'body' in requested)
    else if ((error as { code?: string }).code === 'network_error') tellOf(context, jobId, 'may still be running')
    throw error
  }
}

async function asked<B extends object>(
  jobs: Jobs<B, unknown>,
  body: B,
  progress: Progress,
  signal: AbortSignal,
): Promise<string> {
  const over = new AbortController()
  const tell = (): void => progress.show('Cancelling; Ctrl-C again ends at once')
  signal.addEventListener('abort', tell, { signal: over.signal })
  try {
    return await jobs.request(body)
  } finally {
    over.abort()
  }
}

async function waited<R>(
  client: VideoIntelligence,
  jobs: Jobs<never, R>,
  jobId: string,
  progress: Progress,
  signal: AbortSignal,
): Promise<R> {
  const over = new AbortController()
  if (progress.isShown) void showEvents(client, jobId, progress, AbortSignal.any([signal, over.signal]))
  try {
    return await jobs.wait(jobId, { signal })
  } finally {
    over.abort()
  }
}

const tellOf = ({ io }: Pick<Place, 'io'>, jobId: string, what: string): void =>
  print(io.stderr, `Job ${jobId} ${what}; --id ${jobId} in place of the URL waits for it.`)

/** After Ctrl-C. */
async function leave(context: Pick<Place, 'io'>, client: VideoIntelligence, jobId: string, isOurs: boolean) {
  if (!isOurs) return tellOf(context, jobId, 'continues')
  try {
    let { state } = await client.cancel(jobId)
    while (state === 'settling') {
      await sleep(SETTLING_MS)
      state = (await client.job(jobId)).state
    }
    if (state !== 'cancelled') return tellOf(context, jobId, 'had ended already')
    print(context.io.stderr, `Job ${jobId} was cancelled, and is refunded.`)
  } catch {
    tellOf(context, jobId, `could not be cancelled: ${program} cannot reach the service. It may continue`)
  }
}
