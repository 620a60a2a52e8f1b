import type { Step } from '#packages/domain/job/events.ts'
import { HOST_DELAYS, MAX_HOST_ATTEMPTS } from '#packages/domain/job/retry.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { placesOf } from '../faults/faulty-queue.ts'
import { workersOf } from '../processes.ts'
import { type Hindrance, hinderedMs, processOf } from '../record.ts'
import { DOWNLOAD_MS, placesAtWork, shareOf } from '../step-works.ts'
import { type Ending, type Plan, permanentCode, type Video } from '../videos.ts'
import { orchestratorsHeld } from './ends.ts'
import { type Check, endOf, type History, requestOf } from './history.ts'
import { type EventOf, ofType } from './raw-events.ts'

/** Time for a retry and everything that is not counted elsewhere, milliseconds. */
const ROOM_MS = 12_000

type Request = EventOf<'JobRequested'>
type Job = {
  jobId: string
  events: readonly StoredEvent[]
  request: Request
  video: Video
  failure: EventOf<'JobFailed'>
}

/**
 * Invariants 9 and 10: no job fails needlessly. A failure is the video's own, or the job lost three workers, or its
 * host was asked as often as allowed, or faults delayed the job until its window left no room. Other organizations'
 * floods are no excuse.
 */
export const noJobFailsNeedlessly: Check = (history) => {
  const problems: string[] = []
  for (const [jobId, events] of history.jobs) {
    problems.push(...needlessExpiries(history, jobId, events))
    const request = requestOf(events)
    const failure = endOf(events)
    const video = history.world.videos.get(request?.data.url ?? '')
    if (request === undefined || video === undefined || failure?.type !== 'JobFailed') continue
    const problem = needless(history, { jobId, events, request, video, failure })
    if (problem !== undefined) problems.push(`${jobId} failed with ${failure.data.code}: ${problem}`)
  }
  return problems
}

function needless(history: History, job: Job): string | undefined {
  const { code } = job.failure.data
  // The checks of ends verify that somebody requested it.
  if (code === 'cancelled') return undefined
  const { path, end } = courseOf(job)
  // An item begins again if its job fails with one of these.
  if (job.request.data.batchId !== null && timely(code)) return undefined
  if (code === 'insufficient_credits') {
    if (maySpeak(job)) return 'it had the credits'
    return ofType(job.events, 'CaptionsUnavailable').every(({ data }) => data.reason === 'captions_unavailable')
      ? undefined
      : 'its captions could not be read, which is no lack of credits'
  }
  if (end !== 'completed') return timely(code) || code === end ? undefined : `it should fail with ${end}`
  if (!timely(code)) return 'its steps can succeed'
  if (code === 'internal_error' && (lostLeases(job.events) >= 3 || starts(job.events) >= 10)) return undefined
  if (code !== 'timeout' && hostGaveOut(job)) return undefined
  const { windowSeconds } = job.request.data
  const talkMs = path.includes('extract') ? talkedFor(job.video) : 0
  const neededMs = path.reduce((sum, step) => sum + neededFor(history, job.video.plans[step]), talkMs)
  const held = hinderedMs(holdingUp(history, job, path), job.request.recordedAt, job.failure.recordedAt)
  const room = windowSeconds * 1000 - neededMs - held - 2 * history.world.settings.maxSkewMs
  return room < ROOM_MS ? undefined : `there was room: ${room} ms (needed ${neededMs}, held up ${held})`
}

/** Codes with which a job can fail only because time ran out, or because its attempts kept failing. */
const timely = (code: string): boolean =>
  ['timeout', 'platform_blocked', 'upstream_error', 'internal_error'].includes(code)

const maySpeak = ({ request }: Job): boolean => request.data.mode !== 'auto' || request.data.budget >= 5

/** The steps that a job may need, and its end if there is enough time. */
function courseOf(job: Job): { path: Step[]; end: string } {
  const { plans } = job.video
  const { mode, kind } = job.request.data
  const extracted = () => (kind === 'extraction' ? extraction(job.video, path) : { path, end: 'completed' })
  const path: Step[] = ['fetch']
  if (plans.fetch.last.type === 'permanent') return { path, end: permanentCode.fetch }
  if (plans.fetch.last.type === 'kills') return { path, end: 'internal_error' }
  const caption = plans.caption
  if (mode !== 'generate') {
    path.push('caption')
    if (caption.last.type === 'permanent') return { path, end: permanentCode.caption }
    if (caption.last.type === 'kills') return { path, end: 'internal_error' }
    if (mode === 'native')
      return { path, end: caption.last.type === 'no captions' ? 'captions_unavailable' : 'completed' }
    // If the first attempt to read captions fails, the job may fall back to speech, or read them later.
    const areRead = caption.first.length === 0 || ofType(job.events, 'CaptionsRead').length > 0
    if (caption.last.type === 'result' && areRead) return extracted()
    if (!maySpeak(job)) return { path, end: 'insufficient_credits' }
  }
  path.push('speech-to-text')
  const { last } = plans['speech-to-text']
  if (last.type === 'kills') return { path, end: 'internal_error' }
  // Without speech there is no transcript, but there are pictures.
  const isSilent = last.type === 'permanent' && kind === 'transcript'
  return isSilent ? { path, end: permanentCode['speech-to-text'] } : extracted()
}

/**
 * The end of an extraction: the model may be asked for two repairs, and a request without an answer takes all the time.
 */
function extraction({ talk }: Video, path: Step[]): { path: Step[]; end: string } {
  const ends = {
    garbage: permanentCode.extract,
    never: 'timeout',
    fits: 'completed',
    busy: 'completed',
    again: 'completed',
    twice: 'completed',
  }
  return { path: [...path, 'extract'], end: ends[talk.last.type] }
}

/** How long a step takes with all the attempts that its video needs, milliseconds. */
function neededFor({ world }: History, { first, last }: Plan): number {
  const leaseMs = world.settings.leaseSeconds * 1000
  const attempt = ({ ms, type }: Ending, index: number): number =>
    ms + DOWNLOAD_MS + (type === 'kills' ? leaseMs + world.settings.maxSkewMs : 1000 * (HOST_DELAYS[index] ?? 20))
  return first.reduce((sum, ending, index) => sum + attempt(ending, index), last.ms + DOWNLOAD_MS)
}

/** How long the model takes until its answer fits, milliseconds. A busy model is asked again after a while. */
const talkedFor = ({ talk }: Video): number =>
  [...talk.first, talk.last].reduce((sum, { ms, type }) => sum + ms + (type === 'busy' ? 8000 : 0), 0)

/** When faults, or other jobs in the slots, delayed what this job needed. */
function holdingUp({ world, organizations }: History, { jobId, request }: Job, path: readonly Step[]): Hindrance[] {
  const { record, settings } = world
  const floods = organizations.some((one) => one.floods && one.orgId === request.data.orgId)
  const workers = path.flatMap((step) => workersOf(settings, step))
  // A flood must not keep the slots from others.
  const slots = settings.flood > 0 && !floods ? [] : path.map(placesAtWork)
  const places = [...path.map(placesOf), ...path.map((step) => shareOf(step, request.data.orgId))]
  const processes = settings.mode === 'embedded' ? [...places, ...slots] : [...workers, ...places, ...slots]
  return [...orchestratorsHeld(world), ...processes.flatMap((name) => record.ofProcess(name)), ...record.ofJob(jobId)]
}

/** Steps that read from outside: their failures count as failures of the host. */
const atHosts: readonly Step[] = ['fetch', 'caption']

/** Whether a worker ended the job at a step that asks a host, after as many starts as one job may have there. */
function hostGaveOut({ events, failure }: Job): boolean {
  const started = ofType(events, 'StepStarted')
  const last = started.at(-1)?.data.step
  const byWorker = !failure.metadata.causationId.startsWith('orchestrator/')
  return byWorker && last !== undefined && atHosts.includes(last) && started.length >= MAX_HOST_ATTEMPTS
}

const starts = (events: readonly StoredEvent[]): number =>
  Math.max(0, ...ofType(events, 'StepStarted').map(({ data }) => data.attempt))

type Lost = { started: EventOf<'StepStarted'>; until: number }

/** Claims without an end: another claim replaced it, or it was the last claim of a job that failed for it. */
function lostClaims(events: readonly StoredEvent[]): Lost[] {
  const lost: Lost[] = []
  let held: EventOf<'StepStarted'> | undefined
  for (const event of events) {
    const { type, data, metadata, recordedAt } = event
    // A worker that fails the job itself has ended its claim.
    const byOrchestrator = metadata.causationId.startsWith('orchestrator/')
    const gaveUp = type === 'JobFailed' && data.code === 'internal_error' && byOrchestrator
    if (held !== undefined && (type === 'StepStarted' || gaveUp)) lost.push({ started: held, until: recordedAt })
    if (type === 'StepStarted') held = event
    else if (type !== 'LeaseExtended') held = undefined
  }
  return lost
}

function lostLeases(events: readonly StoredEvent[]): number {
  const bySteps = Map.groupBy(lostClaims(events), ({ started }) => started.data.step)
  return Math.max(0, ...[...bySteps.values()].map((lost) => lost.length))
}

/** No lease runs out while its worker, its connection and the orchestrators work. */
function needlessExpiries(history: History, jobId: string, events: readonly StoredEvent[]): string[] {
  const { world } = history
  return lostClaims(events)
    .filter(({ started, until }) => {
      const worker = world.record.ofProcess(processOf(started.data.worker))
      return hinderedMs([...worker, ...orchestratorsHeld(world)], started.recordedAt, until) === 0
    })
    .map(({ started }) => `the lease of ${jobId} ${started.data.step}/${started.data.attempt} was lost without a fault`)
}
