import type { EventData } from '#contracts/generated/events.ts'
import type { JobKind } from './events.ts'

type Request = Pick<EventData['JobRequested'], 'kind' | 'mode'>

/** The cost of a job in credits, by the source of its text. */
export type Prices = EventData['JobRequested']['prices']

const today: Readonly<Record<JobKind, Prices>> = {
  transcript: { captions: 1, speech: 5 },
  extraction: { captions: 10, speech: 10 },
}

/**
 * Today's prices (specification, Credit costs), for jobs that are not accepted yet. An accepted job has its own prices
 * in JobRequested.
 */
export const pricesOf = (kind: JobKind): Prices => today[kind]

/** Credits to debit at acceptance: `full`, or `least` if the balance covers only that. */
export function debitOf({ kind, mode }: Request): { full: number; least: number } {
  const { captions, speech } = pricesOf(kind)
  if (mode === 'native') return { full: captions, least: captions }
  return { full: speech, least: mode === 'auto' ? captions : speech }
}

/** Credits to charge for a completed job. @param transcribed whether its text came from speech-to-text */
export const chargeOf = ({ prices, transcribed }: { prices: Prices; transcribed: boolean }): number =>
  transcribed ? prices.speech : prices.captions
