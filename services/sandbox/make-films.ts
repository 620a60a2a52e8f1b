/** Makes the films of the sandbox where they are missing: what ops/setup runs. */
import { loadMedia } from './media.ts'

await loadMedia()
