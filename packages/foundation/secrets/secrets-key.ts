import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '#packages/foundation/disk/replace-file.ts'
import { KEY_BYTES, purposes } from './sealer.ts'

/**
 * The key file in DATA_DIR if SECRETS_KEY is not set. Backups do not contain it, so a stolen backup does not reveal
 * sealed data.
 */
export const keyFileOf = (dataDir: string): string => join(dataDir, 'secrets.key')

/** The data that is lost with the key, in words. */
export const lostWithTheKey: readonly string[] = Object.values(purposes)

/**
 * @param source where the key comes from, for the error message, which does not show the key
 * @throws Error it is not a key
 */
export function keyOf(text: string, source: string): Buffer {
  const key = Buffer.from(text.trim(), 'hex')
  if (!/^[0-9a-f]*$/i.test(text.trim()) || key.length !== KEY_BYTES)
    throw new Error(`${source} has no key: it must be ${KEY_BYTES * 2} hexadecimal digits (openssl rand -hex 32)`)
  return key
}

/** The key of a data directory; undefined if none was made yet. @throws Error it is not a key */
export function keyIn(dataDir: string): Buffer | undefined {
  const path = keyFileOf(dataDir)
  return existsSync(path) ? keyOf(readFileSync(path, 'utf8'), path) : undefined
}

/**
 * Makes the key of a data directory. It is on the disk before anything is sealed with it. Call it only while holding
 * the directory's lock.
 */
export function makeKeyIn(dataDir: string): Buffer {
  const key = randomBytes(KEY_BYTES)
  replaceFile(keyFileOf(dataDir), `${key.toString('hex')}\n`)
  return key
}
