/** `npm run service -- caption`: reads the captions that videos bring with them, as one process of the distributed mode. */
import { readConfig } from '#packages/config/config.ts'
import { serveAlone } from '#services/host/serve-alone.ts'

await serveAlone('caption', () => readConfig(process.env))
