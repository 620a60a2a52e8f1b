import type { ItemState } from '#packages/domain/batch/state.ts'
import { failures, isFailureCode } from '#packages/domain/job/failure.ts'
import type { ListedBatch, OwnBatch, OwnItem } from '#packages/jobs/batches/own-batch.ts'
import { formatNumber } from '../../look/parts.tsx'
import { failureOf } from '../jobs/job-words.tsx'

/** The display name of a batch. */
export function batchName({ operation, items }: Pick<ListedBatch, 'operation' | 'items'>): string {
  const what = operation === 'extraction' ? 'Extractions' : 'Transcripts'
  // The videos of a source are counted while it is read.
  return items === 0 ? what : `${what} of ${videosWords(items)}`
}

export const videosWords = (count: number): string => (count === 1 ? '1 video' : `${formatNumber(count)} videos`)

type Ending = Pick<ListedBatch, 'status' | 'reason'>

const endWords: Readonly<Record<NonNullable<ListedBatch['reason']>, readonly [words: string, tone: string]>> = {
  completed: ['Ended', 'good'],
  cancelled: ['Cancelled', ''],
  key_revoked: ['Ended with its key', 'bad'],
  not_accepted: ['Not accepted', 'bad'],
  source_failed: ['Source unreadable', 'bad'],
}

export const standingWords = ({ status, reason }: Ending): readonly [words: string, tone: string] =>
  status === 'running' || reason === null ? ['Running', 'busy'] : endWords[reason]

const reasonWords: Partial<Record<NonNullable<OwnBatch['reason']>, string>> = {
  key_revoked: 'The API key that started it was revoked: videos that had not started were cancelled.',
  not_accepted: 'The upload was interrupted. Nothing was charged.',
  source_failed: 'The source could not be read completely: the videos found until then were processed.',
}

/** Why a batch ended too early; undefined: it ended normally, or a member cancelled it. */
export const endedEarlyOf = ({ reason }: Pick<OwnBatch, 'reason'>): string | undefined =>
  reason === null ? undefined : reasonWords[reason]

export const itemStateWords: Readonly<Record<ItemState, readonly [words: string, tone: string]>> = {
  queued: ['Waiting', ''],
  working: ['In progress', 'busy'],
  completed: ['Completed', 'good'],
  failed: ['Failed', 'bad'],
  cancelled: ['Cancelled', ''],
}

/** Why an item failed or begins again; undefined: neither. Text in backticks is code. */
export function trouble({ state, code }: Pick<OwnItem, 'state' | 'code'>): string | undefined {
  if (code === null || state === 'working' || state === 'cancelled') return undefined
  if (code === 'insufficient_credits') return 'The batch ran out of held credits.'
  const meaning = isFailureCode(code) ? failures[code].message : failureOf(code).meaning
  return state === 'queued' ? `${meaning} It will be retried automatically.` : meaning
}
