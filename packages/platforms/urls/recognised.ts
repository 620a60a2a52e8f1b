/** The target of one URL of a platform. */
export type Recognised =
  | { kind: 'video' | 'photo'; id: string; canonical: string }
  | { kind: 'profile'; id: string; canonical: string }
  /** A short link: following its redirects, or reading its page, leads to the video. */
  | { kind: 'short'; id: null; canonical: string }
  /** A page that only leads on to the URL in its query. */
  | { kind: 'redirect'; id: null; to: string }
  /** Any other page that has a name, such as `a playlist`. */
  | { kind: 'page'; id: null; what: string }

/** The URLs of one platform. */
export type PlatformUrls = {
  /** The hosts of videos and of links to them. Exact names: another host that ends in `x.com` is not X. */
  hosts: ReadonlySet<string>
  /** All names under these domains belong to the platform. All have the video paths of the first. */
  domains: readonly [string, ...string[]]
  /** Whether a URL under these domains is a media file, although its name does not show it. */
  isMedia?(url: URL): boolean
  /**
   * @param url http(s), on one of the hosts
   * @returns undefined for a URL that is not a video, does not lead to one, and has no name
   */
  recognise(url: URL): Recognised | undefined
  /** Only if short links answer with a page instead of a redirect. */
  linkPage?: LinkPage
  /** The canonical URL of a video, starting at a second. Missing if the platform has no such links. */
  at?(canonical: string, seconds: number): string
}

/** The page of a short link. */
export type LinkPage = {
  /** Headers in addition to those of a browser. */
  headers: Record<string, string>
  /**
   * @returns the URL that the page leads to; undefined if what it showed is gone
   * @throws StepError `upstream_error` for a page of unknown form
   */
  targetOf(html: string): string | undefined
}

export const video = (id: string, canonical: string): Recognised => ({ kind: 'video', id, canonical })

/** A short link, without the parameters that a sharing app appended. */
export const short = (url: URL): Recognised => ({
  kind: 'short',
  id: null,
  canonical: `https://${url.hostname}${url.pathname}`,
})

/** Undefined if the page does not name its target URL. */
export const redirect = (to: string | null): Recognised | undefined =>
  to === null ? undefined : { kind: 'redirect', id: null, to }

export const page = (what: string): Recognised => ({ kind: 'page', id: null, what })

/** The segments of a path, without empty ones. */
export const segmentsOf = (url: URL): string[] => url.pathname.split('/').filter((part) => part !== '')
