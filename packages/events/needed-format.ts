import type { EventData } from '#contracts/generated/events.ts'
import type { KeyGrant } from '#packages/domain/key/grant.ts'

/** The first format (`EVENTS_FORMAT`) in which a job keeps its options, and a debit counts for a capped key. */
export const formatOfJob = (
  job: Pick<EventData['JobRequested'], 'options'> & Pick<KeyGrant, 'monthlyCredits'>,
): number => (Object.values(job.options).includes(true) || job.monthlyCredits !== null ? 2 : 1)

/** The first format in which a key keeps what it may do. */
export const formatOfGrant = (grant: KeyGrant): number =>
  Object.values(grant).every((limit) => limit === null) ? 1 : 2

/** The first format in which the id of a job begins with the first byte of its organization's (`withShardOf`). */
export const formatOfShardedIds = 2
