import type { Config } from '#packages/foundation/config/config.ts'
import type { Print } from './command.ts'

/** Where a command finds the history, and where it writes: answers by `print`, all else by `tell`. */
export type CommandContext = { config: Config; dataDir: string; archive: string | undefined; print: Print; tell: Print }
