import { existsSync } from 'node:fs'
import type { Config } from '#packages/foundation/config/config.ts'
import { Sealer } from '#packages/foundation/secrets/sealer.ts'
import { keyFileOf, keyIn, keyOf, lostWithTheKey, makeKeyIn } from '#packages/foundation/secrets/secrets-key.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import type { DataDirectory } from './data-directory.ts'

type Given = Pick<Config, 'secretsKey'>

/** `file`: holds the key; undefined if the configuration has the key itself. `isNew`: the key was made now. */
type ChosenKey = { key: Buffer; file: string | undefined; isNew: boolean }

/**
 * The key of the configuration, else that of the data directory; undefined if none was made yet.
 * @throws Error it is not a key
 */
function knownKey({ secretsKey }: Given, dataDir: string): ChosenKey | undefined {
  if (secretsKey !== undefined) return { key: keyOf(secretsKey, 'SECRETS_KEY'), file: undefined, isNew: false }
  const key = keyIn(dataDir)
  return key && { key, file: keyFileOf(dataDir), isNew: false }
}

/**
 * The key of the configuration, else that of the data directory, which is made at the first start. Only the holder of
 * the directory's lock may call it.
 * @throws Error the key file holds something else
 */
export const chooseKey = (config: Given, dataDir: string): ChosenKey =>
  knownKey(config, dataDir) ?? { key: makeKeyIn(dataDir), file: keyFileOf(dataDir), isNew: true }

/** The sealer with the existing key; undefined if no key was made yet. @throws Error it is not a key */
export function knownSealer(config: Given, dataDir: string): Sealer | undefined {
  const known = knownKey(config, dataDir)
  return known && new Sealer(known.key)
}

/** The sealer with the chosen key. @throws Error as {@link chooseKey} */
export function openSealer(
  config: Given,
  { path, events }: Pick<DataDirectory, 'path' | 'events'>,
  log: Logger,
): Sealer {
  const { key, file, isNew } = chooseKey(config, path)
  // For example after a restore, because backups do not contain the key.
  if (isNew && existsSync(events))
    log.warn({ lost: lostWithTheKey }, `${file} was missing and is made anew; what the old key sealed is lost`)
  return new Sealer(key)
}
