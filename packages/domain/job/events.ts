import type { EventData, EventType } from '#contracts/generated/events.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'

/** The product of a job: the transcript of a video, or an answer to a prompt about it. */
export type JobKind = EventData['JobRequested']['kind']

/** The options of a request beyond mode and language. */
export type JobOptions = EventData['JobRequested']['options']

export const noOptions: JobOptions = {
  failFast: false,
  strictLang: false,
  translate: false,
  words: false,
  speakers: false,
  vocabulary: null,
}

/** The steps of a job, in the order in which a job may need them. */
export const steps = ['fetch', 'caption', 'speech-to-text', 'extract'] as const

export type Step = (typeof steps)[number]

/** One value for each step. */
export const perStep = <Value>(of: (step: Step) => Value): Record<Step, Value> =>
  Object.fromEntries(steps.map((step) => [step, of(step)])) as Record<Step, Value>

/**
 * The lanes in which tasks of a step wait for a worker, in the order in which they are served. `bulk`: jobs of batches
 * and watches, which no caller waits for.
 */
export const lanes = ['priority', 'standard', 'bulk'] as const

export type Lane = (typeof lanes)[number]

/** Events that record the result of a step. */
export const resultTypes = [
  'VideoFetched',
  'CaptionsRead',
  'CaptionsUnavailable',
  'SpeechTranscribed',
  'ExtractionProduced',
] as const satisfies readonly EventType[]

/** The outside source that an attempt has read from. */
export type ReadFrom = NonNullable<EventData['StepFailed']['readFrom']>

/** The result of a step. */
export type StepResult = DomainEvent<(typeof resultTypes)[number]>

/** Every event type that a job's stream may hold. */
export const jobEventTypes = [
  'JobRequested',
  'StepStarted',
  'LeaseExtended',
  'StepFailed',
  ...resultTypes,
  'JobCompleted',
  'JobFailed',
] as const satisfies readonly EventType[]

export type JobEvent = DomainEvent<(typeof jobEventTypes)[number]>

/** The code of a StepFailed that releases a claim and does not count as an error. */
export const RELEASED = 'released'
