import type { StepTask } from '#contracts/generated/messages.ts'
import validators from '#contracts/generated/validators.cjs'
import type { Lane, Step } from '#packages/domain/job/events.ts'
import type { Validator } from '#packages/events/format/catalog.ts'

const isTask = (validators as unknown as Record<string, Validator>)['tasks/StepTask.v1.json'] as Validator

/** The message is not a task of its topic. */
export class NotATaskError extends Error {
  readonly code = 'not_a_task'
}

function validated(value: unknown): StepTask {
  if (isTask(value)) return value as StepTask
  const reasons = (isTask.errors ?? []).map((error) => `${error.instancePath || '/'} ${error.message ?? ''}`)
  throw new NotATaskError(`the message is not a task: ${reasons.join('; ')}`)
}

/** @throws NotATaskError */
export const encodeTask = (task: StepTask): Buffer => Buffer.from(JSON.stringify(validated(task)))

/**
 * The message of a task. Its header repeats the traceparent for tools that do not know our tasks; workers read it from
 * the task itself.
 * @throws NotATaskError
 */
export const messageOf = (task: StepTask): { value: Buffer; headers: { traceparent: string } } => ({
  value: encodeTask(task),
  headers: { traceparent: task.traceparent },
})

/**
 * The task in a message of this step and lane.
 * @throws NotATaskError there is none, or its step or lane is another
 */
export function decodeTask(message: Buffer | null, step: Step, lane: Lane): StepTask {
  const task = validated(parse(message))
  if (task.step !== step || task.lane !== lane)
    throw new NotATaskError(`the message is a ${task.lane} task of ${task.step}, among ${lane} tasks of ${step}`)
  return task
}

function parse(message: Buffer | null): unknown {
  try {
    return JSON.parse(message?.toString() ?? '')
  } catch {
    throw new NotATaskError('the message is not JSON')
  }
}
