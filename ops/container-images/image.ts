/** An image as a compose file or a Dockerfile names it. */
export type Image = {
  /** The host of its registry, such as `registry-1.docker.io`. */
  registry: string
  /** Such as `library/node`. */
  repository: string
  tag: string
}

const DOCKER_HUB = 'registry-1.docker.io'

/**
 * Parses a reference like `mongo:8.0.20` or `ghcr.io/a/b:1@sha256:…`. A name without a host is on Docker Hub; a name
 * without an owner is in its `library`.
 * @throws Error it has no tag
 */
export function imageOf(reference: string): Image {
  const [name = '', tag] = tagged(reference).split(/:(?=[^/]*$)/)
  if (tag === undefined) throw new Error(`${reference} has no tag`)
  const [first = '', ...rest] = name.split('/')
  if (rest.length > 0 && /[.:]/.test(first)) return { registry: first, repository: rest.join('/'), tag }
  return { registry: DOCKER_HUB, repository: name.includes('/') ? name : `library/${name}`, tag }
}

/** The reference without a digest. */
export const tagged = (reference: string): string => reference.split('@')[0] ?? reference

/** Matches images in a compose file or a Dockerfile, except those built here. */
const places = /^(?<before>\s*image: |FROM )(?<reference>[\w./-]+:[\w.-]+(?:@sha256:[0-9a-f]{64})?)(?<after>.*)$/gm

/** The images that a file names: each once, without digest. */
export function imagesIn(text: string): string[] {
  const references = [...text.matchAll(places)].map(({ groups }) => tagged(groups?.reference ?? ''))
  return [...new Set(references)].filter((reference) => !reference.endsWith(':local'))
}

/** The file with each image pinned to its digest in `digests`, if it has one. */
export function pinned(text: string, digests: ReadonlyMap<string, string>): string {
  return text.replace(places, (line, before: string, reference: string, after: string) => {
    const digest = digests.get(tagged(reference))
    return digest === undefined ? line : `${before}${tagged(reference)}@${digest}${after}`
  })
}
