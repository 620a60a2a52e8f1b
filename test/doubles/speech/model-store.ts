import { fileURLToPath } from 'node:url'

/** Where ops/setup puts the models of Whisper. */
export const modelStore = fileURLToPath(new URL('../../../.models/whisper', import.meta.url))
