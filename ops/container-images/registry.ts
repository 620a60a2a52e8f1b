import { createHash } from 'node:crypto'
import type { Image } from './image.ts'

/** Accepted manifests of a tag: the list of its images by platform, or its only image. */
const accept = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ')

const TIMEOUT_MS = 20_000
const MAX_MANIFEST_BYTES = 4 * 1024 * 1024

/**
 * The current digest of a tag, `sha256:…`, computed from the registry's manifest (OCI distribution interface).
 * @throws Error the registry cannot be reached, refuses, or sends no manifest
 */
export async function digestOf(image: Image, ask: typeof fetch = fetch): Promise<string> {
  const url = `https://${image.registry}/v2/${image.repository}/manifests/${image.tag}`
  const get = (headers: Record<string, string>) =>
    ask(url, { headers: { accept, ...headers }, signal: AbortSignal.timeout(TIMEOUT_MS) })
  let answer = await get({})
  if (answer.status === 401) answer = await get({ authorization: await anonymousAccess(answer, ask) })
  if (!answer.ok) throw new Error(`${image.registry} answers ${answer.status} for ${image.repository}:${image.tag}`)
  const manifest = Buffer.from(await answer.arrayBuffer())
  if (manifest.length > MAX_MANIFEST_BYTES) throw new Error(`the manifest of ${image.repository} is too large`)
  const digest = `sha256:${createHash('sha256').update(manifest).digest('hex')}`
  const told = answer.headers.get('docker-content-digest')
  if (told !== null && told !== digest)
    throw new Error(`${image.repository}: its registry reports ${told}, its manifest has ${digest}`)
  return digest
}

/** Fetches an anonymous token of a public registry, from the address in its 401 answer. */
async function anonymousAccess(refusal: Response, ask: typeof fetch): Promise<string> {
  const challenge = refusal.headers.get('www-authenticate') ?? ''
  const fields = Object.fromEntries([...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]))
  if (!/^Bearer /i.test(challenge) || !fields.realm) throw new Error('the registry asks for an account')
  const url = new URL(fields.realm)
  for (const name of ['service', 'scope']) if (fields[name]) url.searchParams.set(name, fields[name])
  const answer = await ask(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  const { token, access_token } = (await answer.json()) as { token?: string; access_token?: string }
  return `Bearer ${token ?? access_token}`
}
