/** Makes the films of the sandbox where they are missing. ops/setup runs it. */
import { loadMedia } from './media.ts'

await loadMedia()
