import type { Config } from '#packages/foundation/config/config.ts'
import type { Print } from './command.ts'

/**
 * The places from which a command reads the history, and its outputs: answers by `print`, everything else by `tell`.
 */
export type CommandContext = { config: Config; dataDir: string; archive: string | undefined; print: Print; tell: Print }
