import { fileURLToPath } from 'node:url'

/** The Node that `ops/setup` installs. Workers solve YouTube's challenges with it. */
export const node = fileURLToPath(new URL('../../node_modules/node/bin/node', import.meta.url))
