/** `npm run service -- ingress`: the HTTP surface, as one process of the distributed mode. */
import { readConfig } from '#packages/config/config.ts'
import { serveAlone } from '#services/host/serve-alone.ts'

await serveAlone('ingress', () => readConfig(process.env))
