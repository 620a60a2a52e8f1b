/** What one URL of a platform leads to. */
export type Recognised =
  | { kind: 'video' | 'photo'; id: string; canonical: string }
  | { kind: 'profile'; id: string; canonical: string }
  /** A short link: following its redirects, or reading its page, leads to the video. */
  | { kind: 'short'; id: null; canonical: string }
  /** A page that only leads on to the URL in its query. */
  | { kind: 'redirect'; id: null; to: string }
  /** Anything else that has a name, such as `a playlist`. */
  | { kind: 'page'; id: null; what: string }

/** The URLs of one platform. */
export type PlatformUrls = {
  /** The hosts of videos and of links to them. Exact names: whatever else ends in `x.com` is not X. */
  hosts: ReadonlySet<string>
  /** All names under these domains belong to the platform; pages of videos are as on the first. */
  domains: readonly [string, ...string[]]
  /** Whether a URL under these domains is a media file, although its name does not tell. */
  isMedia?(url: URL): boolean
  /**
   * @param url http(s), of one of the hosts
   * @returns undefined for a URL that neither is a video nor leads to one, nor has a name
   */
  recognise(url: URL): Recognised | undefined
  /** Where short links answer with a page, not with a redirect. */
  linkPage?: LinkPage
  /** The canonical URL of a video from a second on; missing where the platform has no such links. */
  at?(canonical: string, seconds: number): string
}

/** The page of a short link. */
export type LinkPage = {
  /** Besides those of a browser. */
  headers: Record<string, string>
  /**
   * @returns the URL to which the page leads; undefined when what it showed is gone
   * @throws StepError `upstream_error` for a page in a form that is not known
   */
  targetOf(html: string): string | undefined
}

export const video = (id: string, canonical: string): Recognised => ({ kind: 'video', id, canonical })

/** A short link, without what a sharing app appended. */
export const short = (url: URL): Recognised => ({
  kind: 'short',
  id: null,
  canonical: `https://${url.hostname}${url.pathname}`,
})

/** Undefined where the page does not say to which URL it leads. */
export const redirect = (to: string | null): Recognised | undefined =>
  to === null ? undefined : { kind: 'redirect', id: null, to }

export const page = (what: string): Recognised => ({ kind: 'page', id: null, what })

/** The segments of a path, empty ones left out. */
export const segmentsOf = (url: URL): string[] => url.pathname.split('/').filter((part) => part !== '')
