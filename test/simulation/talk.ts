import { createExtraction } from '#packages/content/extraction/extraction.ts'
import type { Model, Reply } from '#packages/content/extraction/model/model.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import type { StepContext, StepWork } from '#packages/jobs/processing/step.ts'
import { extractStep } from '#services/extract/step.ts'
import type { Random } from '#test/doubles/random.ts'
import { AFTER_PAUSE_MS } from './disturbances.ts'
import type { Line } from './faults/line.ts'

/**
 * One answer of the model after `ms` milliseconds: one that fits, nonsense, a transient error, the same nonsense again,
 * one that fits but comes after another worker has asked as well, or none at all.
 */
export type ModelAnswer = { ms: number; type: 'fits' | 'garbage' | 'busy' | 'again' | 'twice' | 'never' }

/** The model's answers to the extractions of a video, one for each request. The last is repeated. */
export type Talk = { first: ModelAnswer[]; last: ModelAnswer }

/** A model that takes longer counts as late, milliseconds. */
const LATE_MS = 5000

/** The prompt and the format of the extractions that the customers of the simulation request. */
export const wanted = {
  prompt: 'What is it about?',
  schema: { type: 'object', properties: { fits: { const: true } }, required: ['fits'] },
}

/** How the model behaves for a video: usually well, otherwise late, twice, never, or with nonsense. */
export function makeTalk(random: Random, busyTimes: number): Talk {
  const ms = random.between(200, 3000)
  const fits: ModelAnswer = { ms, type: 'fits' }
  const draw = random.next()
  // Forks of the seed: later additions do not change the rest.
  if (busyTimes > 0 && random.fork('twice').chance(0.12)) return { first: [{ ms, type: 'twice' }], last: fits }
  if (busyTimes === 0 || draw < 0.5) return { first: [], last: fits }
  if (draw < 0.6) return { first: [], last: { ms: random.between(LATE_MS, 20_000), type: 'fits' } }
  if (draw < 0.7) return { first: [{ ms, type: 'garbage' }], last: fits }
  if (draw < 0.78)
    return {
      first: [
        { ms, type: 'garbage' },
        { ms, type: 'again' },
      ],
      last: fits,
    }
  if (draw < 0.88)
    return { first: Array.from({ length: random.between(1, busyTimes) }, () => ({ ms, type: 'busy' })), last: fits }
  if (draw < 0.94) return { first: [], last: { ms, type: 'garbage' } }
  return { first: [], last: { ms, type: 'never' } }
}

/** The extract step of the service, with a model that answers as the video's `talk` says. */
export function talkingStep(line: Line): StepWork {
  return (context) => {
    const extraction = createExtraction({
      model: talkingModel(line, context),
      problems: async (_schema, answer) => ((answer as { fits?: unknown }).fits === true ? [] : ['/fits must be true']),
      newBoundary: () => line.random.uuid(),
      contextTokens: 100_000,
      maxFrames: 0,
    })
    return extractStep({ extraction, framesOf: async () => [] })(context)
  }
}

const good = '{"fits": true}'

const fits = ({ type }: ModelAnswer): boolean => type === 'fits' || type === 'twice'

/** Pauses the worker until its lease has run out. The worker that takes over also gets an answer, maybe earlier. */
function sleepPastLease({ world, life }: Line): void {
  if (!world.faults.on) return
  const { leaseSeconds, maxSkewMs } = world.settings
  const ms = 1500 * leaseSeconds + maxSkewMs
  world.trace.add(life.name, `is paused for ${ms} ms`)
  life.pause(ms)
  world.record.hinder(life.name, ms + AFTER_PAUSE_MS)
}

/** Counts what is wrong with a received answer. */
function countAnswer({ world }: Line, jobId: string, answer: ModelAnswer): void {
  const { faults, stepCalls } = world
  if (answer.ms >= LATE_MS) faults.count('model late')
  if (answer.type === 'busy') faults.count('model busy')
  if (answer.type === 'garbage') faults.count('model answered nonsense')
  if (answer.type === 'again') faults.count('model repeated its nonsense')
  if (!fits(answer)) return
  const answers = (stepCalls.get(`${jobId}/fitting answers`) ?? 0) + 1
  stepCalls.set(`${jobId}/fitting answers`, answers)
  if (answers > 1) faults.count('model answered twice')
}

function talkingModel(line: Line, { jobId, job }: StepContext): Model {
  const { world, life } = line
  return {
    seesFrames: true,
    async ask({ signal }): Promise<Reply> {
      const talk = world.videos.get(job.url)?.talk
      if (talk === undefined) throw new Error(`there is no video at ${job.url}`)
      const calls = world.stepCalls.get(`${jobId}/model`) ?? 0
      world.stepCalls.set(`${jobId}/model`, calls + 1)
      const answer = talk.first[calls] ?? talk.last
      world.trace.add(life.name, `asks the model about ${jobId}: ${answer.type} after ${answer.ms} ms`)
      if (answer.type === 'twice') sleepPastLease(line)
      if (answer.type === 'never') world.faults.count('model silent')
      if (answer.type === 'never') await life.clock.sleep(Number.MAX_SAFE_INTEGER, signal)
      await life.clock.sleep(answer.ms, signal)
      countAnswer(line, jobId, answer)
      if (answer.type === 'busy') throw new StepError('upstream_error', { transient: true, retryAfterSeconds: 1 })
      const content = fits(answer) ? good : 'I would rather not say.'
      const shape = { format: 'json_schema', frames: false } as const
      return { outcome: 'answered', content, model: 'simulated', tokens: { input: 1, output: 1 }, shape }
    },
  }
}
