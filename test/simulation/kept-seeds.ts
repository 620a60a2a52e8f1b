import kept from './seeds.json' with { type: 'json' }

/**
 * Grows whenever seeds are given another meaning, by a change of the simulation or of how the service calls its ports:
 * what was kept under an older one is then no longer what it says, and has to be found again or left out.
 */
export const FORMAT = 4

export type KeptSeed = { seed: number; was: string }

/** Seeds that failed once, with what it was. They are run first, for ever. */
export const keptSeeds: readonly KeptSeed[] = kept.seeds

export const keptFormat: number = kept.format
