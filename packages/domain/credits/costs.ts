import type { EventData } from '#contracts/generated/events.ts'

type Request = Pick<EventData['JobRequested'], 'kind' | 'mode'>

/** Credits of what is done for a job (specification, Credit costs). */
export const costs = { native: 1, generate: 5, extraction: 10 } as const

/** Credits to be debited at acceptance: `full`, or, where the balance is short of it, at least `least`. */
export function debitOf({ kind, mode }: Request): { full: number; least: number } {
  if (kind === 'extraction') return { full: costs.extraction, least: costs.extraction }
  if (mode === 'native') return { full: costs.native, least: costs.native }
  return { full: costs.generate, least: mode === 'auto' ? costs.native : costs.generate }
}
