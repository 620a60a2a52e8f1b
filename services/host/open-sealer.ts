import { existsSync } from 'node:fs'
import type { Config } from '#packages/config/config.ts'
import { Sealer } from '#packages/secrets/sealer.ts'
import { keyFileOf, keyIn, keyOf, lostWithTheKey, makeKeyIn, readKeyFile } from '#packages/secrets/secrets-key.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import type { DataDirectory } from './data-directory.ts'

type Given = Pick<Config, 'secretsKey' | 'secretsKeyFile'>

/** The key of the configuration; undefined where it names none. @throws Error it is no key */
export function givenKey({ secretsKey, secretsKeyFile }: Given): Buffer | undefined {
  if (secretsKey !== undefined) return keyOf(secretsKey, 'SECRETS_KEY')
  return secretsKeyFile === undefined ? undefined : readKeyFile(secretsKeyFile)
}

/** What seals here already; undefined where no key was made yet. @throws Error it is no key */
export function knownSealer(config: Given, dataDir: string): Sealer | undefined {
  const key = givenKey(config) ?? keyIn(dataDir)
  return key && new Sealer(key)
}

/**
 * What seals, with the key of the configuration, else with that of the data directory, which is made at the first start.
 * @throws Error there is something else in its place
 */
export function openSealer(
  config: Given,
  { path, events }: Pick<DataDirectory, 'path' | 'events'>,
  log: Logger,
): Sealer {
  const known = knownSealer(config, path)
  if (known !== undefined) return known
  // Such as after a restore: no backup has it.
  if (existsSync(events))
    log.warn(
      { lost: lostWithTheKey },
      `${keyFileOf(path)} was missing and is made anew; what the old key sealed is lost`,
    )
  return new Sealer(makeKeyIn(path))
}
