import { type Outcome, simulate } from './simulate.ts'

const outcomes = new Map<number, Promise<Outcome>>()

/** The outcome of a seed. Several tests ask for the same seeds: each is run once in a process. */
export function outcomeOf(seed: number): Promise<Outcome> {
  const known = outcomes.get(seed) ?? simulate(seed)
  outcomes.set(seed, known)
  return known
}
