import { KEY_BYTES, Sealer } from '#packages/foundation/secrets/sealer.ts'

/** Seals with a key that every test process has. */
export const testSealer = new Sealer(Buffer.alloc(KEY_BYTES, 7))
