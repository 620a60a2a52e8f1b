import { median } from './percentiles.ts'

/** What two rivals came to, and how the first compares with the second. */
export type Duel = { ours: number; theirs: number; ratio: number }

/** Measures both in turn, so that what else the machine does falls on both; medians of each and of the ratios. */
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
