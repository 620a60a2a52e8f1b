import { setTimeout as sleep } from 'node:timers/promises'
import type { Admin, EachBatchPayload, KafkaMessage } from 'kafkajs'
import type { StepTask } from '#contracts/generated/messages.ts'
import { type Lane, lanes, type Step } from '#packages/domain/job/events.ts'
import type { Delivery, TaskConsumer } from '#packages/ports/work-queue.ts'
import { Notifier } from '../notifier.ts'
import { TaskLanes } from '../task-lanes.ts'
import { tellingSlots } from './announced-slots.ts'
import type { Origin } from './dead-letter-topic.ts'
import { GroupSession, sessionsInTurn } from './group-session.ts'
import type { KafkaLink } from './link.ts'
import type { KafkaLog } from './log.ts'
import { PartitionProgress } from './partition-progress.ts'
import { StallWatch } from './stall-watch.ts'
import { decodeTask, NotATaskError } from './task-message.ts'
import type { Topics } from './topics.ts'

export type StepConsumerOptions = {
  step: Step
  /** How many tasks it works on at once. */
  slots: number
  topics: Topics
  /** Resolves when the topics exist. No member of a group can begin earlier. */
  topicsMade: Promise<void>
  /** How many tasks of one lane may wait here for a free slot. Beyond that the lane is paused. */
  maxWaitingPerLane: number
  sessionTimeoutMs: number
  /** A consumer that receives nothing for this long while messages wait is replaced, milliseconds. */
  stallMs: number
  /** How often to look for added partitions, milliseconds. Default: 30,000. */
  lookEveryMs?: number | undefined
  /** Sets a message aside. Resolves when it is stored. */
  setAside(origin: Origin, reason: string): Promise<void>
}

/** How long commits are collected, milliseconds. */
const COMMIT_AFTER_MS = 500

/**
 * A full lane is paused only if it has no room after this time, milliseconds: a paused lane resumes only after a fetch.
 */
const ROOM_WITHIN_MS = 200

type Waiting = { task: StepTask; message: KafkaMessage; progress: PartitionProgress; offset: number }

/**
 * A consumer of one step: a member of its group that is replaced whenever it crashes or stalls. A bounded number of
 * received tasks waits here for takers. Offsets are committed once tasks are acknowledged.
 */
export class StepConsumer implements TaskConsumer {
  readonly #link: KafkaLink
  readonly #log: KafkaLog
  readonly #options: StepConsumerOptions
  readonly #waiting = new TaskLanes<Waiting>()
  readonly #room = new Notifier()
  readonly #paused = new Set<Lane>()
  readonly #closed = new AbortController()
  readonly #running: Promise<void>
  #assigned: PartitionProgress[] = []
  #session: GroupSession | undefined
  #isMember = false
  #committing: Promise<void> | undefined

  constructor(link: KafkaLink, log: KafkaLog, options: StepConsumerOptions) {
    this.#link = link
    this.#log = log
    this.#options = options
    const { topicsMade } = options
    const run = (closed: AbortSignal): Promise<unknown> => this.#runSession(closed)
    const onReplaced = (end: unknown): void => this.#sayReplaced(end)
    this.#running = sessionsInTurn({ topicsMade, run, onReplaced }, this.#closed.signal)
  }

  get #inWords(): string {
    return `the consumer of ${this.#options.step}`
  }

  async take(first: Lane, signal: AbortSignal): Promise<Delivery> {
    signal.throwIfAborted()
    this.#closed.signal.throwIfAborted()
    const waiting = await this.#waiting.take(first, signal)
    this.#resumeWhereThereIsRoom()
    if (this.#waiting.count(waiting.task.lane) <= this.#options.maxWaitingPerLane / 2) this.#room.notify()
    const { task, progress, offset, message } = waiting
    return {
      task,
      acknowledge: async () => this.#done(progress, offset),
      reject: async (reason) => {
        await this.#options.setAside({ topic: progress.topic, partition: progress.partition, message }, reason)
        this.#done(progress, offset)
      },
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#closed.signal.aborted) this.#closed.abort(new Error(`the consumer of ${this.#options.step} is closed`))
    this.#waiting.end(this.#closed.signal.reason)
    await this.#running
  }

  /**
   * Logs each replaced member of the group. A session that never became a member is one of many retries. Brokers that
   * are away or refuse are logged once per change.
   */
  #sayReplaced(end: unknown): void {
    const message = 'a consumer has ended; another takes its place'
    if (this.#isMember) this.#log.warn({ err: end, step: this.#options.step }, message)
    else this.#link.troubles.failed(this.#inWords, end, message)
  }

  /** Resolves with the reason why the session ended. */
  async #runSession(closed: AbortSignal): Promise<unknown> {
    const { topics, step, slots, sessionTimeoutMs, lookEveryMs } = this.#options
    const session = new GroupSession(this.#link, {
      groupId: topics.groupOf(step),
      topics: lanes.map((lane) => topics.of(step, lane)),
      sessionTimeoutMs,
      assigner: tellingSlots(slots),
      lookEveryMs,
      onAssigned: (partitions) => this.#assign(partitions),
      onBatch: (payload) => this.#receive(session, payload),
    })
    this.#session = session
    this.#isMember = false
    this.#paused.clear()
    try {
      return await session.runUntil((ended) => this.#watch(ended), closed)
    } finally {
      await this.#commitNow(session)
      await session.close()
      this.#session = undefined
    }
  }

  /** Resolves when the session has stalled or the signal is aborted. */
  async #watch(ended: AbortSignal): Promise<unknown> {
    const { topics, step, stallMs } = this.#options
    const watch = new StallWatch(topics.groupOf(step), stallMs)
    const joinBy = Date.now() + 3 * stallMs
    let admin = this.#link.kafka.admin()
    try {
      for (;;) {
        await sleep(stallMs / 3, undefined, { signal: ended }).catch(() => {})
        if (ended.aborted) return ended.reason
        try {
          const reason = await this.#lookForStall(admin, watch, joinBy)
          if (reason !== undefined) return new Error(reason)
        } catch (error) {
          // Whether it stalls is unknown. The admin client may keep asking brokers that no longer lead, so use a new
          // one.
          this.#log.info({ err: error, step }, 'the brokers could not be asked how far they are')
          await this.#link.close(admin)
          admin = this.#link.kafka.admin()
        }
      }
    } finally {
      await this.#link.close(admin)
    }
  }

  async #lookForStall(admin: Admin, watch: StallWatch, joinBy: number): Promise<string | undefined> {
    await admin.connect()
    const stalled = await watch.look(
      admin,
      this.#assigned.filter(({ lane }) => !this.#paused.has(lane)),
    )
    if (stalled) {
      // Receive again from the committed offset: the topic may have been recreated.
      this.#assigned = this.#assigned.filter((each) => each !== stalled)
      return `messages wait in partition ${stalled.partition} of ${stalled.topic}, and none comes`
    }
    return this.#isMember || Date.now() < joinBy ? undefined : 'the consumer is still not a member of its group'
  }

  /** Keeps the progress of partitions that stay. Drops the tasks of the others: another consumer gets them. */
  #assign(partitions: Readonly<Record<string, number[]>>): void {
    const { topics, step } = this.#options
    const before = this.#assigned
    this.#isMember = true
    this.#link.troubles.answered(this.#inWords)
    this.#assigned = lanes.flatMap((lane) => {
      const topic = topics.of(step, lane)
      return (partitions[topic] ?? []).map(
        (partition) =>
          before.find((known) => known.topic === topic && known.partition === partition) ??
          new PartitionProgress(topic, partition, lane),
      )
    })
    const kept = new Set(this.#assigned)
    this.#waiting.drop(({ progress }) => !kept.has(progress))
    this.#resumeWhereThereIsRoom()
  }

  async #receive(session: GroupSession, { batch, resolveOffset }: EachBatchPayload): Promise<void> {
    const progress = this.#assigned.find(
      ({ topic, partition }) => topic === batch.topic && partition === batch.partition,
    )
    // A rebalance has taken the partition meanwhile.
    if (progress === undefined) return
    for (const message of batch.messages) {
      if (this.#isFull(progress.lane)) await this.#room.wait(AbortSignal.timeout(ROOM_WITHIN_MS))
      // Another session has replaced it meanwhile.
      if (this.#session !== session) return
      if (this.#isFull(progress.lane)) {
        this.#paused.add(progress.lane)
        session.pause(batch.topic)
        return
      }
      await this.#accept(progress, message)
      resolveOffset(message.offset)
    }
  }

  async #accept(progress: PartitionProgress, message: KafkaMessage): Promise<void> {
    const offset = Number(message.offset)
    if (!progress.receive(offset)) return
    try {
      const task = decodeTask(message.value, this.#options.step, progress.lane)
      this.#waiting.put(progress.lane, { task, message, progress, offset })
    } catch (error) {
      if (!(error instanceof NotATaskError)) throw error
      await this.#options.setAside({ topic: progress.topic, partition: progress.partition, message }, error.message)
      this.#done(progress, offset)
    }
  }

  #isFull(lane: Lane): boolean {
    return this.#waiting.count(lane) >= this.#options.maxWaitingPerLane
  }

  #resumeWhereThereIsRoom(): void {
    const { topics, step, maxWaitingPerLane } = this.#options
    for (const lane of this.#paused) {
      if (this.#waiting.count(lane) > maxWaitingPerLane / 2) continue
      this.#paused.delete(lane)
      this.#session?.resume(topics.of(step, lane))
    }
  }

  #done(progress: PartitionProgress, offset: number): void {
    progress.done(offset)
    this.#committing ??= this.#commitSoon()
  }

  async #commitSoon(): Promise<void> {
    await sleep(COMMIT_AFTER_MS, undefined, { signal: this.#closed.signal }).catch(() => {})
    if (this.#session && !this.#closed.signal.aborted) await this.#commitNow(this.#session)
    this.#committing = undefined
  }

  async #commitNow(session: GroupSession): Promise<void> {
    const due = this.#assigned.flatMap((progress) => {
      const offset = progress.due
      return offset === undefined ? [] : [{ progress, offset }]
    })
    if (due.length === 0) return
    try {
      await session.commit(
        due.map(({ progress: { topic, partition }, offset }) => ({ topic, partition, offset: String(offset) })),
      )
      for (const { progress, offset } of due) progress.committed(offset)
    } catch (error) {
      // Uncommitted messages come again after a rebalance, and are recognized then.
      this.#log.debug({ err: error, step: this.#options.step }, 'offsets could not be committed')
    }
  }
}
