import type { Config } from '#packages/foundation/config/config.ts'
import type { Print } from './command.ts'

/** Where a command finds the history and writes its output: answers by `print`, everything else by `tell`. */
export type CommandContext = { config: Config; dataDir: string; archive: string | undefined; print: Print; tell: Print }
