export const USAGE = 'Usage: npm run projections -- rebuild'

/** @throws Error with the usage, for any other words */
export function assertRebuild(args: readonly string[]): void {
  if (args.join(' ') !== 'rebuild') throw new Error(USAGE)
}
