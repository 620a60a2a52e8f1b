import type { EventData } from '#contracts/generated/events.ts'
import type { JobKind } from './events.ts'

type Request = Pick<EventData['JobRequested'], 'kind' | 'mode'>

/** Credits for each way of making a result (specification, Credit costs). */
export const prices = { native: 1, generate: 5, extraction: 10 } as const

/** Credits to be debited at acceptance: `full`, or `least` where the balance covers only that. */
export function debitOf({ kind, mode }: Request): { full: number; least: number } {
  if (kind === 'extraction') return { full: prices.extraction, least: prices.extraction }
  if (mode === 'native') return { full: prices.native, least: prices.native }
  return { full: prices.generate, least: mode === 'auto' ? prices.native : prices.generate }
}

/** Credits to be charged for a completed job. @param transcribed whether its text came from speech-to-text */
export function chargeOf({ kind, transcribed }: { kind: JobKind; transcribed: boolean }): number {
  if (kind === 'extraction') return prices.extraction
  return transcribed ? prices.generate : prices.native
}
