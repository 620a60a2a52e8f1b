/** `npm run service -- fetch`: finds out what a URL leads to, as one process of the distributed mode. */
import { readConfig } from '#packages/config/config.ts'
import { serveAlone } from '#services/host/serve-alone.ts'

await serveAlone('fetch', () => readConfig(process.env))
