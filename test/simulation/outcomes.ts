import { type Outcome, simulate } from './simulate.ts'

const outcomes = new Map<number, Promise<Outcome>>()

/** The outcome of a seed. Several tests need the same seeds, so a process runs each once. */
export function outcomeOf(seed: number): Promise<Outcome> {
  const known = outcomes.get(seed) ?? simulate(seed)
  outcomes.set(seed, known)
  return known
}
