import { median } from './percentiles.ts'

/** The results of two rivals, and the ratio of the first to the second. */
export type Duel = { ours: number; theirs: number; ratio: number }

/**
 * Measures two rivals in turn, so that other work of the machine affects both. Returns the medians of each and of the
 * ratios.
 */
export async function duel(
  rounds: number,
  measureOurs: () => Promise<number>,
  measureTheirs: () => Promise<number>,
): Promise<Duel> {
  const pairs: { ours: number; theirs: number }[] = []
  for (let round = 0; round < rounds; round++) {
    pairs.push({ theirs: await measureTheirs(), ours: await measureOurs() })
  }
  return {
    ours: median(pairs.map(({ ours }) => ours)),
    theirs: median(pairs.map(({ theirs }) => theirs)),
    ratio: median(pairs.map(({ ours, theirs }) => ours / theirs)),
  }
}

/**
 * Measures several rivals in turn, in this many rounds. Returns the results of each by its name. Every other round runs
 * backwards, so that after-effects, such as a busy disk, affect all alike.
 */
export async function inTurn<Results extends Record<string, unknown>>(
  rounds: number,
  measures: { [Name in keyof Results]: () => Promise<Results[Name]> },
): Promise<{ [Name in keyof Results]: Results[Name][] }> {
  const names = Object.keys(measures) as (keyof Results)[]
  const results = Object.fromEntries(names.map((name) => [name, []])) as unknown as {
    [Name in keyof Results]: Results[Name][]
  }
  for (let round = 0; round < rounds; round++)
    for (const name of round % 2 === 0 ? names : names.toReversed()) results[name].push(await measures[name]())
  return results
}

/** The median ratio of one rival to another, round by round. */
export const ratioOf = (ours: readonly number[], theirs: readonly number[]): number =>
  median(ours.map((one, round) => one / (theirs[round] ?? Number.NaN)))
