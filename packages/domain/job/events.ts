import type { EventData, EventType } from '#contracts/generated/events.ts'
import type { DomainEvent } from '../event.ts'

/** What a job is asked for: the transcript of a video, or what a prompt asks of it. */
export type JobKind = EventData['JobRequested']['kind']

/** The steps of a job, in the order in which a job may need them. */
export const steps = ['fetch', 'caption', 'speech-to-text', 'extract'] as const

export type Step = (typeof steps)[number]

/** Where tasks of a step wait for a worker: the lane that is served first comes first. */
export const lanes = ['priority', 'standard'] as const

export type Lane = (typeof lanes)[number]

/** Events that record the result of a step. */
export const resultTypes = [
  'VideoFetched',
  'CaptionsRead',
  'CaptionsUnavailable',
  'SpeechTranscribed',
  'ExtractionProduced',
] as const satisfies readonly EventType[]

/** The result of a step. */
export type StepResult = DomainEvent<(typeof resultTypes)[number]>

/** Every event that a job's stream may hold. */
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

/** The code of a StepFailed by which a claim is given back, without blame. */
export const RELEASED = 'released'
