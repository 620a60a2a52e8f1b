import { setTimeout as sleep } from 'node:timers/promises'
import type { Ownership } from '#packages/ports/ownership.ts'
import { Newest } from '../newest.ts'
import { GroupSession, sessionsInTurn } from './group-session.ts'
import type { KafkaLink } from './link.ts'
import { livingOwner } from './living-owner.ts'
import type { KafkaLog } from './log.ts'
import type { OwnedService, Topics } from './topics.ts'

export type OwnerElectionOptions = {
  service: OwnedService
  topics: Topics
  /** Resolves when the topics exist. No member of a group can begin earlier. */
  topicsMade: Promise<void>
  /** How long a killed process remains the owner, milliseconds. */
  sessionTimeoutMs: number
}

/** A member that hears nothing from its group for this many session timeouts is replaced. */
const SILENT_TIMEOUTS = 3

/**
 * The interval of heartbeats, milliseconds. Members learn from them that the owner has left, and take over within two
 * seconds.
 */
const HEARTBEAT_MS = 300

const inWords = 'the election of an owner'

/**
 * Elects the owner by a Kafka consumer group: the member with the only partition of a topic. Nothing is written to the
 * topic or read from it. While the brokers are away, the owner stays the owner.
 */
export const ownerElection = (link: KafkaLink, log: KafkaLog, options: OwnerElectionOptions): Ownership => ({
  async *owned(signal) {
    const newest = new Newest<boolean>()
    const over = new AbortController()
    const ended = AbortSignal.any([signal, over.signal, link.ended])
    const { service, topics, topicsMade } = options
    let reported: boolean | undefined
    const report = (isOwner: boolean): void => {
      if (isOwner === reported) return
      reported = isOwner
      const group = topics.groupOfOwner(service)
      log.info({ group, isOwner }, isOwner ? 'this process is the owner' : 'standing by')
      newest.set(isOwner)
    }
    const run = (closed: AbortSignal): Promise<unknown> => runSession(link, options, report, closed)
    const onReplaced = (end: unknown): void =>
      link.troubles.failed(inWords, end, 'a member of the group of owners has ended; another takes its place')
    const running = sessionsInTurn({ topicsMade, run, onReplaced }, ended)
    try {
      yield* newest.follow(ended)
    } finally {
      over.abort()
      await running
    }
  },
})

/** Resolves with the reason why the session ended. */
async function runSession(
  link: KafkaLink,
  { service, topics, sessionTimeoutMs }: OwnerElectionOptions,
  report: (isOwner: boolean) => void,
  ended: AbortSignal,
): Promise<unknown> {
  let isOwner = false
  // A member that has heard nothing for so long was declared dead, and may have a successor.
  const owns = (): boolean => isOwner && session.silentMs < sessionTimeoutMs
  const session = new GroupSession(link, {
    groupId: topics.groupOfOwner(service),
    topics: [topics.owner],
    sessionTimeoutMs,
    heartbeatMs: HEARTBEAT_MS,
    assigner: livingOwner(topics.owner, owns),
    onAssigned: (partitions) => {
      // Heartbeats continue; there is nothing to fetch.
      session.pause(topics.owner)
      link.troubles.answered(inWords)
      isOwner = (partitions[topics.owner] ?? []).length > 0
      report(isOwner)
    },
    onBatch: async () => {},
  })
  try {
    return await session.runUntil((over) => silenceOf(session, sessionTimeoutMs, over), ended)
  } finally {
    await session.close()
  }
}

/** Resolves when the group has been silent for too long or the signal is aborted. kafkajs may stall silently. */
async function silenceOf(session: GroupSession, sessionTimeoutMs: number, ended: AbortSignal): Promise<unknown> {
  while (!ended.aborted) {
    await sleep(sessionTimeoutMs, undefined, { signal: ended }).catch(() => {})
    if (session.silentMs > SILENT_TIMEOUTS * sessionTimeoutMs) return new Error('the group of owners is silent')
  }
  return ended.reason
}
