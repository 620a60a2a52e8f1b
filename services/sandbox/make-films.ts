/** Makes the films of the sandbox if they are missing. ops/setup runs it. */
import { loadMedia } from './media.ts'

await loadMedia()
