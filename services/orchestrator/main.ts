/** `npm run service -- orchestrator`: moves every open job on, as one process of the distributed mode. */
import { readConfig } from '#packages/config/config.ts'
import { serveAlone } from '#services/host/serve-alone.ts'

await serveAlone('orchestrator', () => readConfig(process.env))
