import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createSecureContext, type SecureContext } from 'node:tls'
import { promisify } from 'node:util'

const DAYS = '7'
const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']

/** A certificate authority of this process only. */
export type Authority = {
  /** Its certificate, PEM. A client that trusts it accepts the sandbox's answers for any host name. */
  caFile: string
  /** A certificate for exactly this host, made at the first call. */
  contextFor(host: string): Promise<SecureContext>
}

const openssl = (...args: string[]) => promisify(execFile)('openssl', ['req', '-x509', '-days', DAYS, ...args])

/**
 * Makes a certificate authority in `directory`. The caller keeps the folder private and removes it. Needs openssl 3.
 */
export async function createAuthority(directory: string): Promise<Authority> {
  const [caFile, caKey] = [join(directory, 'ca.pem'), join(directory, 'ca.key')]
  const usage = ['-addext', 'keyUsage=critical,keyCertSign,cRLSign']
  await openssl(...newKey, '-keyout', caKey, '-out', caFile, '-subj', '/CN=sandbox, trust nowhere else', ...usage)

  const sign = async (host: string): Promise<SecureContext> => {
    const [cert, key] = [join(directory, `${host}.pem`), join(directory, `${host}.key`)]
    const names = ['-subj', '/CN=sandbox', '-addext', `subjectAltName=DNS:${host}`]
    const leaf = ['-addext', 'basicConstraints=critical,CA:FALSE', '-addext', 'extendedKeyUsage=serverAuth']
    await openssl('-CA', caFile, '-CAkey', caKey, ...newKey, '-keyout', key, '-out', cert, ...names, ...leaf)
    return createSecureContext({ cert: await readFile(cert), key: await readFile(key) })
  }

  const contexts = new Map<string, Promise<SecureContext>>()
  const contextFor = (host: string): Promise<SecureContext> => {
    const context = contexts.get(host) ?? sign(host)
    contexts.set(host, context)
    return context
  }
  return { caFile, contextFor }
}
