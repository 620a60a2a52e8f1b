import { fileURLToPath } from 'node:url'

/** The folder in which ops/setup puts the Whisper models. */
export const modelStore = fileURLToPath(new URL('../../../.models/whisper', import.meta.url))
