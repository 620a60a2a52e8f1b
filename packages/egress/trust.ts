import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'

/** @throws Error if it cannot be read, or has no certificates */
function authorities(caFile: string): string[] {
  try {
    const own = readFileSync(caFile, 'utf8')
    if (!own.includes('-----BEGIN CERTIFICATE-----')) throw new Error(`${caFile} has no certificate`)
    return [...getCACertificates('default'), own]
  } catch (error) {
    throw new Error(`EGRESS_CA_FILE cannot be used: ${(error as Error).message}`)
  }
}

/** The usual certificate authorities and those of a PEM file. Parsing them takes milliseconds: call it once. */
export const trustOf = (caFile: string): SecureContext => createSecureContext({ ca: authorities(caFile) })

/**
 * Writes the usual certificate authorities and those of `caFile` (EGRESS_CA_FILE) into one PEM file for child
 * processes.
 * @returns the path of the file, in `directory`
 */
export async function writeCaBundle(caFile: string, directory: string): Promise<string> {
  const path = join(directory, 'egress-ca.pem')
  await writeFile(path, `${authorities(caFile).join('\n')}\n`)
  return path
}
