/** `npm run service -- speech-to-text`: hears what is said in a video, as one process of the distributed mode. */
import { readConfig } from '#packages/config/config.ts'
import { serveAlone } from '#services/host/serve-alone.ts'

await serveAlone('speech-to-text', () => readConfig(process.env))
