/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * Pictures of videos, for lists and pages. Browsers never load them from another host. They request a path of ours that
 * contains the address of the original and our signature. The signature is valid for one organization, until the end
 * of the next day.
 */
import { timingSafeEqual } from 'node:crypto'
import type { VNode } from 'preact'
import type { Pictured } from '#packages/content/thumbnails/thumbnails.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import { listedPlatforms } from '#packages/jobs/status/list-jobs.ts'
import type { PageOptions } from '../../options.ts'
import type { DashboardParts } from '../../parts.ts'
import type { OrgPageContext, Picture, Route } from '../../route.ts'

type Signing = Pick<DashboardParts, 'sealer' | 'clock'>
type Parts = Signing & Pick<DashboardParts, 'thumbnails' | 'rates'>

const DAY_MS = 24 * 60 * 60 * 1000
const SIGNATURE_BYTES = 16
/** The longest address of an original, because each page contains the addresses of its pictures. */
const MAX_URL_LENGTH = 1024

/** The same all day, so that browsers can cache the picture. */
const signatureOf = ({ sealer }: Signing, { orgId, platform, url }: Pictured, day: number): Buffer =>
  sealer.digest('thumbnail', `${day} ${orgId} ${platform} ${url}`).subarray(0, SIGNATURE_BYTES)

const today = ({ clock }: Signing): number => Math.floor(clock.now() / DAY_MS)

/** The address of a video's picture; undefined if it has none. */
export type PictureOf = (video: Pick<Pictured, 'platform'> & { thumbnail: string | null }) => string | undefined

export const picturesIn =
  (parts: Signing, { root }: Pick<PageOptions, 'root'>, orgId: string): PictureOf =>
  ({ platform, thumbnail: url }) => {
    if (url === null || url.length > MAX_URL_LENGTH || !/^https?:/i.test(url)) return undefined
    const signature = signatureOf(parts, { orgId, platform, url }, today(parts)).toString('base64url')
    return `${root}/org/${orgId}/thumbnails/${platform}/${signature}?${new URLSearchParams({ url })}`
  }

/** The picture, or a placeholder. The text beside it says the same. */
export const Thumbnail = ({ src, isLarge = false }: { src: string | undefined; isLarge?: boolean }): VNode => (
  <span class={isLarge ? 'thumbnail large' : 'thumbnail'}>
    {src !== undefined && <img src={src} alt="" width="320" height="180" loading="lazy" decoding="async" />}
  </span>
)

export const thumbnailRoutes = (parts: Parts): Route[] => [
  {
    path: '/org/:orgId/thumbnails/:platform/:signature',
    access: 'member',
    isOfPage: true,
    get: (context) => showThumbnail(parts, context),
  },
]

/** @throws ServiceError not_found for a wrong signature, which counts: rate_limited */
async function showThumbnail(parts: Parts, { org: { orgId }, params, query }: OrgPageContext): Promise<Picture> {
  const platform = listedPlatforms.find((name) => name === params.platform)
  const pictured = platform && { orgId, platform, url: query.get('url') ?? '' }
  if (!pictured || !isSigned(parts, pictured, params.signature ?? '')) {
    // None of our pages links here.
    await parts.rates.ofPages('light', orgId)
    throw new ServiceError('not_found', 'There is no such page.')
  }
  const jpeg = (await parts.thumbnails.of(pictured)) ?? null
  return { type: 'picture', jpeg, maxAgeSeconds: DAY_MS / 1000 }
}

function isSigned(parts: Signing, pictured: Pictured, signature: string): boolean {
  const given = Buffer.from(signature, 'base64url')
  if (given.length !== SIGNATURE_BYTES) return false
  const days = [today(parts), today(parts) - 1]
  return days.some((day) => timingSafeEqual(given, signatureOf(parts, pictured, day)))
}
