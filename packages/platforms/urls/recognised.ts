/** What one URL of a platform leads to. */
export type Recognised =
  | { kind: 'video' | 'photo'; id: string; canonical: string }
  | { kind: 'profile'; id: string; canonical: string }
  /** A short link: following its redirects leads to the video. */
  | { kind: 'short'; id: null; canonical: string }

/** The URLs of one platform. */
export type PlatformUrls = {
  /** Exact names: whatever else ends in `x.com` is not X. */
  hosts: ReadonlySet<string>
  /**
   * @param url http(s), of one of the hosts
   * @returns undefined for a URL that neither is a video nor leads to one
   */
  recognise(url: URL): Recognised | undefined
}

export const video = (id: string, canonical: string): Recognised => ({ kind: 'video', id, canonical })

/** A short link, without what a sharing app appended. */
export const short = (url: URL): Recognised => ({
  kind: 'short',
  id: null,
  canonical: `https://${url.hostname}${url.pathname}`,
})

/** The segments of a path, empty ones left out. */
export const segmentsOf = (url: URL): string[] => url.pathname.split('/').filter((part) => part !== '')
