/** `npm run service -- projections`: keeps the views, as one process of the distributed mode. */
import { readConfig } from '#packages/config/config.ts'
import { serveAlone } from '#services/host/serve-alone.ts'

await serveAlone('projections', () => readConfig(process.env))
