import type { StepTask } from '#contracts/generated/messages.ts'
import type { MemoryWorkQueue } from '#packages/adapters/memory/work-queue.ts'
import type { Lane } from '#packages/domain/job/events.ts'
import type { Delivery, WorkQueue } from '#packages/ports/work-queue.ts'
import type { Line } from './line.ts'

const nameOf = (task: StepTask): string => `${task.step}/${task.attempt} of ${task.jobId} at ${task.revision}`

/** Name in the record for the time in which a lost task takes up a place of its step. */
export const placesOf = (step: StepTask['step']): string => `places of ${step}`

/** A task that is not claimed 5 s after its publication is published again, then after 10, 20, 40, 80 s. */
const REPEATED_AFTER_MS = 5000
const LONGEST_REPEATED_AFTER_MS = 80_000

/** The work queue as one simulated process reaches it. It loses, repeats, delays and reorders messages. */
export function faultyQueue(line: Line, inner: MemoryWorkQueue): WorkQueue {
  const { world, life, random } = line

  /** Publications of one task by this process, by the task's revision. */
  const publications = new Map<string, number>()

  /** Records that a lost task takes up one of the few places of its step and lane. */
  function hinder(task: StepTask, ms: number): void {
    world.record.hinderJob(task.jobId, ms)
    world.record.hinder(placesOf(task.step), ms)
  }

  /** Sends a message. */
  function send(task: StepTask, repeatedMs: number): void {
    if (line.strikes('message dropped')) {
      world.trace.add(life.name, `drops ${nameOf(task)}`)
      hinder(task, repeatedMs)
      return
    }
    const delayed = line.strikes('message delayed')
    const ms = delayed ? random.pick([50, 500, 2000, 7000]) : random.between(0, 3)
    if (delayed) hinder(task, ms)
    world.scheduler.after(ms, () => {
      world.trace.add('queue', `carries ${nameOf(task)}`)
      // Refused only after its process has ended, and the queue with it.
      void inner.publish(task).catch(() => undefined)
    })
    if (line.strikes('message repeated')) send(task, 0)
  }

  async function taken(take: Promise<Delivery>): Promise<Delivery> {
    const delivery = await take
    await line.arrival(random.between(0, 2))
    world.trace.add(life.name, `takes ${nameOf(delivery.task)}`)
    return {
      task: delivery.task,
      acknowledge: async () => line.crashPoint('acknowledging'),
      reject: (reason) => {
        // A task past its deadline can no longer be handled.
        if (life.clock.now() < delivery.task.deadlineAt)
          world.record.deadLetters.push(`${nameOf(delivery.task)}: ${reason}`)
        return delivery.reject(reason)
      },
    }
  }

  return {
    system: inner.system,
    publish: (task) =>
      line.call('publish', `publishes ${nameOf(task)}`, async () => {
        const count = publications.get(nameOf(task)) ?? 0
        publications.set(nameOf(task), count + 1)
        world.record.publications++
        world.record.tasks.set(nameOf(task), task)
        const repeatedMs = Math.min(REPEATED_AFTER_MS * 2 ** count, LONGEST_REPEATED_AFTER_MS)
        // The previous message was lost with the worker that had taken it. The next one may be lost as well.
        if (count > 0) world.record.hinderJob(task.jobId, repeatedMs)
        send(task, repeatedMs)
      }),
    slots: () => inner.slots(),
    consume(step, slots) {
      const consumer = inner.consume(step, slots)
      const close = (): void => void consumer[Symbol.asyncDispose]()
      life.death.signal.addEventListener('abort', close, { once: true })
      return {
        async take(first: Lane, signal: AbortSignal) {
          const take = consumer.take(first, signal)
          // Closed by the death of its process: no caller waits for an answer.
          take.catch(() => undefined)
          return taken(take.catch((error: unknown) => (life.alive ? Promise.reject(error) : new Promise(() => {}))))
        },
        [Symbol.asyncDispose]: async () => consumer[Symbol.asyncDispose](),
      }
    },
    async [Symbol.asyncDispose]() {},
  }
}
