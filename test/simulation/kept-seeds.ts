import kept from './seeds.json' with { type: 'json' }

/**
 * Raised whenever a change of the simulation, or of how the service calls its ports, makes seeds lead to other runs.
 * Seeds kept under an older format no longer show what they were kept for: find others that do, or leave them out.
 */
export const FORMAT = 15

export type KeptSeed = { seed: number; was: string }

/** Seeds that failed once, with the reason. They are run first, for ever. */
export const keptSeeds: readonly KeptSeed[] = kept.seeds

export const keptFormat: number = kept.format
