import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '#packages/disk/replace-file.ts'
import { KEY_BYTES, purposes } from './sealer.ts'

/** In DATA_DIR, where no SECRETS_KEY is given. No backup has it: a stolen one is of no use for what is sealed. */
export const keyFileOf = (dataDir: string): string => join(dataDir, 'secrets.key')

/** What is lost where the key is, in words. */
export const lostWithTheKey: readonly string[] = Object.values(purposes)

/** @param source names what has the key, for the message, which does not show it @throws Error it is no key */
export function keyOf(text: string, source: string): Buffer {
  const key = Buffer.from(text.trim(), 'hex')
  if (!/^[0-9a-f]*$/i.test(text.trim()) || key.length !== KEY_BYTES)
    throw new Error(`${source} has no key: it must be ${KEY_BYTES * 2} hexadecimal digits (openssl rand -hex 32)`)
  return key
}

/** The key of a data directory; undefined where none was made yet. @throws Error it is no key */
export function keyIn(dataDir: string): Buffer | undefined {
  const path = keyFileOf(dataDir)
  return existsSync(path) ? keyOf(readFileSync(path, 'utf8'), path) : undefined
}

/** Makes the key of a data directory. It is on the disk before anything is sealed with it. Only for the holder of its lock. */
export function makeKeyIn(dataDir: string): Buffer {
  const key = randomBytes(KEY_BYTES)
  replaceFile(keyFileOf(dataDir), `${key.toString('hex')}\n`)
  return key
}
