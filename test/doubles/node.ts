import { fileURLToPath } from 'node:url'

/** The Node that `ops/setup` brings, which workers solve YouTube's challenges with. */
export const node = fileURLToPath(new URL('../../node_modules/node/bin/node', import.meta.url))
