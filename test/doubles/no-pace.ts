import type { Pace } from '#packages/platforms/pace/pace.ts'

/** A pace at which every read begins at once. */
export const noPace = { run: (_platform, _exit, _reading, read) => read() } as Pick<Pace, 'run'> as Pace
