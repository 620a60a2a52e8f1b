/** `npm run service -- extract`: draws from a video what a customer asks for, as one process of the distributed mode. */
import { readConfig } from '#packages/config/config.ts'
import { serveAlone } from '#services/host/serve-alone.ts'

await serveAlone('extract', () => readConfig(process.env))
