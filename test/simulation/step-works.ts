import { perStep, type Step, type StepResult } from '#packages/domain/job/events.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import type { StepContext, StepWork } from '#packages/jobs/processing/step.ts'
import type { Line } from './faults/line.ts'
import { talkingStep } from './talk.ts'
import { captionsRead, type Ending, permanentCode, speechTranscribed, TRANSIENT_CODE, videoFetched } from './videos.ts'

/** Name in the record for the time in which all slots of a step are taken. */
export const placesAtWork = (step: Step): string => `slots of ${step}`

/** Name in the record for the time in which an organization has used up its share of a step, and its next job waits. */
export const shareOf = (step: Step, orgId: string): string => `share of ${step} of ${orgId}`

/** How much longer speech takes if its media is not in the cache, milliseconds. */
export const DOWNLOAD_MS = 700

/** The steps of one process. The video determines how long they take and how they end. */
export function stepWorks(line: Line, slots: number): Record<Step, StepWork> {
  const cache = new Set<string>()
  return perStep((step) => simulated(line, step, slots, cache))
}

function simulated(line: Line, step: Step, slots: number, cache: Set<string>): StepWork {
  const { world, life } = line
  let busy = 0
  const ofOrganization = new Map<string, number>()
  return async (context) => {
    const ending = nextEnding(line, step, context)
    busy++
    const share = shareOf(step, context.job.orgId)
    const mine = (ofOrganization.get(share) ?? 0) + 1
    ofOrganization.set(share, mine)
    // While every slot is taken, all other jobs wait. While an organization's share is used up, only its own jobs do.
    const taken = [
      ...(busy >= slots ? [placesAtWork(step)] : []),
      ...(mine * world.settings.workers >= Math.ceil(slots / 2) ? [share] : []),
    ]
    const full = taken.map((name) => world.record.hinder(name, Number.POSITIVE_INFINITY))
    try {
      await life.clock.sleep(ending.ms + downloadMs(line, step, context, cache), context.signal)
      if (step !== 'extract') context.onRead({ domain: 'example.com', exit: 'direct' })
      return await end(line, step, ending, context)
    } finally {
      busy--
      ofOrganization.set(share, (ofOrganization.get(share) ?? 0) - 1)
      for (const one of full) one.to = world.scheduler.now
    }
  }
}

/** Counts the attempt, which must be the only one with its number. @returns how it ends */
function nextEnding({ world, life }: Line, step: Step, { jobId, job, events }: StepContext): Ending {
  const started = events.findLast((event) => event.type === 'StepStarted')
  const attempt = `${jobId}/${step}/${started?.data.attempt}`
  world.record.worked.set(attempt, (world.record.worked.get(attempt) ?? 0) + 1)
  // The jobs of an item follow one another: a fault that refuses the first ones does not refuse all.
  const asked = `${job.batchId === null ? jobId : job.url}/${step}`
  const calls = world.stepCalls.get(asked) ?? 0
  world.stepCalls.set(asked, calls + 1)
  const plan = world.videos.get(job.url)?.plans[step]
  if (plan === undefined) throw new Error(`there is no video at ${job.url}`)
  const ending = plan.first[calls] ?? plan.last
  world.trace.add(life.name, `works on ${attempt}: ${ending.type} after ${ending.ms} ms`)
  return ending
}

/** Speech needs the media: from the cache, which may be emptied at any moment, or from outside. */
function downloadMs(line: Line, step: Step, { job }: StepContext, cache: Set<string>): number {
  if (step !== 'speech-to-text') return 0
  if (line.strikes('cache emptied')) cache.clear()
  const ms = cache.has(job.url) ? 0 : DOWNLOAD_MS
  cache.add(job.url)
  return ms
}

async function end(line: Line, step: Step, ending: Ending, context: StepContext): Promise<StepResult> {
  const { world, life } = line
  const { job, jobId } = context
  switch (ending.type) {
    case 'result':
      if (step === 'extract') return talkingStep(line)(context)
      if (step === 'fetch') return { type: 'VideoFetched', data: videoFetched(job.url) }
      if (step === 'caption') return { type: 'CaptionsRead', data: captionsRead(job.url) }
      return { type: 'SpeechTranscribed', data: speechTranscribed(job.url) }
    case 'no captions':
      return { type: 'CaptionsUnavailable', data: { reason: 'captions_unavailable' } }
    case 'permanent':
      world.faults.count('step failed')
      throw new StepError(permanentCode[step])
    case 'transient':
      world.faults.count('step failed')
      throw new StepError(TRANSIENT_CODE, { transient: true })
    case 'hangs':
      world.faults.count('step hung')
      throw new StepError('upstream_error', { transient: true })
    case 'broken':
      world.faults.count('step failed')
      throw new TypeError('a bug in the step')
    case 'kills':
      world.faults.count('worker killed by its input')
      world.trace.add(life.name, `is killed by ${step} of ${jobId}`)
      life.die()
      return new Promise(() => {})
  }
}
