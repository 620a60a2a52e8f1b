import { LRUCache } from 'lru-cache'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import { PlatformRefusal } from '#packages/platforms/breakers/platform-refusal.ts'
import { failureOfMessage } from '#packages/platforms/ytdlp/failure.ts'
import type { SecondReader, SecondWish } from '../../platform-definition.ts'
import { Shape } from '../../reading/shape.ts'
import { askSite, OWN_NAME, parseAnswer, type Site, type SiteReport } from '../../reading/site.ts'
import { CaptionsWithheld } from '../../ytdlp/missing-parts.ts'
import type { InnerTube, Post } from '../innertube.ts'
import { speak } from '../speak.ts'
import { tokenFreeApps } from '../token-free-apps.ts'
import { youtubeUrls } from '../urls.ts'
import { parseWatch, type Watched } from './parse-watch.ts'
import { textOf } from './text-of.ts'
import { addressOf } from './tracks.ts'

const site: Site = { platform: 'youtube', operation: 'video', label: 'YouTube' }

/**
 * How long a resolved video is used, milliseconds. Signed addresses work for hours, but only from the exit that
 * requested them.
 */
const RESOLVED_MS = 240_000
const MAX_RESOLVED = 200

/** Failures after which another app may succeed: it was refused, or YouTube shows the video to some apps only. */
const dependsOnApp = new Set<StepError['code']>(['platform_blocked', 'video_unavailable', 'upstream_error'])

/**
 * Reads metadata and captions from YouTube's own API, like the apps that need no proof token or account. This takes
 * one answer of the player, one of the page around it, and the captions.
 */
export function createWatch({ report }: { report: SiteReport }): SecondReader {
  const resolved = new LRUCache<string, Watched>({ max: MAX_RESOLVED, ttl: RESOLVED_MS })

  const watch = async (wish: SecondWish): Promise<Watched> => {
    const { canonicalUrl: url, signal } = wish
    const id = youtubeUrls.recognise(new URL(url))?.id ?? ''
    const [player, next] = await speak(site, post(wish), signal, (tube) =>
      Promise.all([playing(tube, id, url), tube.next(id)]),
    )
    const answer = Shape.of('watch', { player, next })
    const watched = parseAnswer(site, answer, report, (both) =>
      parseWatch(id, both.required('object', 'player'), both.required('object', 'next')),
    )
    resolved.set(keyOf(wish), watched)
    return watched
  }

  return {
    info: async (wish) => (await watch(wish)).info,
    async captions(wish, { language, automatic }) {
      const { tracks } = resolved.get(keyOf(wish)) ?? (await watch(wish))
      const track = tracks.find((one) => one.language === language && one.automatic === automatic)
      if (!track) throw failed('The captions are gone.')
      const { text, status } = await askSite(site, wish.route.egress, addressOf(track), { signal: wish.signal })
      if (status !== 200) throw failed(`YouTube answered ${status} for captions.`)
      // YouTube sends nothing if it wants a proof token
      if (text === '') throw new CaptionsWithheld()
      return text
    },
  }
}

/** Apps name themselves in requests to the player. They do not request the rest of the page, so we use our own name. */
const post =
  ({ route, signal }: SecondWish): Post =>
  async (url, headers, body) => {
    const named = new URL(url).pathname.endsWith('/next') ? { ...headers, 'user-agent': OWN_NAME } : headers
    return (await askSite(site, route.egress, url, { method: 'POST', headers: named, body, signal })).text
  }

const keyOf = ({ canonicalUrl, route }: SecondWish): string => `${route.proxyUrl} ${canonicalUrl}`

/** The answer of the first app that the video plays for. @throws StepError, the last app's failure */
async function playing(tube: InnerTube, id: string, url: string): Promise<unknown> {
  let refusal: StepError | undefined
  for (const app of tokenFreeApps) {
    const player = await tube.appPlayer(id, app)
    refusal = refusalOf(Shape.of('player', player), id, url)
    if (!refusal) return player
    if (!dependsOnApp.has(refusal.code)) break
  }
  throw refusal
}

const failed = (message: string): StepError => new StepError('upstream_error', { transient: true, message })

/**
 * Why the video does not play for an app. YouTube's words mean the same as in yt-dlp's failures. Undefined if it
 * plays.
 * @throws ShapeError
 */
export function refusalOf(player: Shape, id: string, url: string): StepError | undefined {
  const playability = player.required('object', 'playabilityStatus')
  if (playability.required('string', 'status') === 'OK') return unlike(player, id)
  if (playability.has('desktopLegacyAgeGateReason')) return new StepError('age_restricted')
  return failureOfMessage(reasonsOf(playability).join('. '), url)
}

/** YouTube shows a different video to addresses that it blocks. */
function unlike(player: Shape, id: string): StepError | undefined {
  if (player.optional('string', 'videoDetails', 'videoId') !== id)
    return new PlatformRefusal({ message: 'YouTube answers about another video.' })
  if (player.has('streamingData')) return undefined
  return new StepError('upstream_error', { transient: true, message: 'YouTube answers without streams.' })
}

/** The words of the refusal, in any of their places. */
function reasonsOf(playability: Shape): string[] {
  const screen = ['errorScreen', 'playerErrorMessageRenderer']
  const card = ['errorScreen', 'playerInterstitialRenderer', 'content', 'interstitialViewModel']
  const reasons = [
    textOf(playability, ...screen, 'reason') ?? playability.optional('string', 'reason'),
    textOf(playability, ...screen, 'subreason'),
    playability.optional('string', ...card, 'title', 'content'),
    playability.optional('string', ...card, 'description', 'content'),
  ]
  return reasons.filter((reason) => reason !== null)
}
