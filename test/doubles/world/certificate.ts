import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Makes a self-signed certificate with openssl; `file` is for EGRESS_CA_FILE. */
export async function makeCertificate(
  directory: string,
  hosts: readonly string[] = ['*.example.com'],
): Promise<{ key: string; cert: string; file: string }> {
  const [key, file] = [join(directory, 'world.key'), join(directory, 'world.pem')]
  const names = ['-subj', '/CN=world', '-addext', `subjectAltName=${hosts.map((host) => `DNS:${host}`)}`]
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  await promisify(execFile)('openssl', ['req', '-x509', ...kind, '-keyout', key, '-out', file, ...names])
  return { key: await readFile(key, 'utf8'), cert: await readFile(file, 'utf8'), file }
}
