/** `npm run service -- orchestrator`: moves every open job on, as one process of the distributed mode. */
import { readConfig } from '#packages/config/config.ts'
import { serveAlone } from '#services/all-in-one/serve-alone.ts'

await serveAlone('orchestrator', () => readConfig(process.env))
