import type { ProfileVideo } from '#contracts/generated/http.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import { StaleTokenError } from '../../paging/stale-token-error.ts'
import type { SourcePage } from '../../paging/take-items.ts'
import type { SiteOptions } from '../../reading/ask-platform.ts'
import type { Reading } from '../../reading/reading.ts'
import { Shape } from '../../reading/shape.ts'
import { parseAnswer, type Site } from '../../reading/site.ts'
import type { Browsed, InnerTube } from '../innertube.ts'
import { postTo, speak } from '../speak.ts'
import type { ChannelList, ChannelType, YouTubeList } from './list-name.ts'
import { type ChannelHead, type PlaylistHead, parseChannel, parsePlaylist } from './parse-head.ts'
import { alertOf, parseFirst, parseMore } from './parse-list.ts'

const site: Site = { platform: 'youtube', operation: 'list', label: 'YouTube' }

/** The header above a list. */
export type ListHead = ChannelHead | PlaylistHead

/** The first page of a list, with its header. */
export type FirstPage = SourcePage<ProfileVideo> & { head: ListHead }

/**
 * Reads the lists of channels and playlists. Both throw StepError: `profile_not_found`, `platform_blocked`,
 * `upstream_error`.
 */
export type YouTubeLists = {
  first(list: YouTubeList, reading: Reading): Promise<FirstPage>
  /** The page that an earlier page's token leads to. @throws StaleTokenError */
  more(token: string, reading: Reading): Promise<SourcePage<ProfileVideo>>
}

const tabs: Record<ChannelType, string> = { videos: 'videos', shorts: 'shorts', lives: 'streams' }

export function createYouTubeLists({ browse, report }: SiteOptions): YouTubeLists {
  const ask = async (reading: Reading, question: (tube: InnerTube) => Promise<unknown>): Promise<Shape> =>
    Shape.of('list', await speak(site, postTo(site, browse, reading), reading.signal, question))
  /** Finds the tab of a channel by the address of its page. */
  const resolve = async ({ path, type }: ChannelList, reading: Reading): Promise<Browsed> => {
    const address = `https://www.youtube.com/${path}/${tabs[type]}`
    const answer = await ask(reading, (tube) => tube.resolve(encodeURI(address)))
    assertFound(answer)
    return parseAnswer(site, answer, report, (found) => {
      const endpoint = found.required('object', 'endpoint', 'browseEndpoint')
      return { browseId: endpoint.required('string', 'browseId'), params: endpoint.required('string', 'params') }
    })
  }
  return {
    async first(list, reading) {
      const place = list.kind === 'channel' ? await resolve(list, reading) : { browseId: `VL${list.id}` }
      const answer = await ask(reading, (tube) => tube.browse(place))
      assertFound(answer)
      return parseAnswer(site, answer, report, (found) => {
        if (list.kind === 'playlist') return { head: parsePlaylist(found, list.id), ...parseFirst(found, undefined) }
        return { head: parseChannel(found), ...parseFirst(found, tabs[list.type]) }
      })
    },
    async more(token, reading) {
      const answer = await ask(reading, (tube) => tube.browse({ continuation: token }))
      if (errorOf(answer) !== null) throw new StaleTokenError()
      return parseAnswer(site, answer, report, parseMore)
    },
  }
}

/** The status of an error answer. */
const errorOf = (answer: Shape): number | null => answer.optional('count', 'error', 'code')

const gone = /does not exist|isn't available|not available|unavailable|private|terminated|removed|deleted|closed/i

/** @throws StepError `profile_not_found`; `upstream_error` if YouTube reports another error */
function assertFound(answer: Shape): void {
  const alert = alertOf(answer)
  if (errorOf(answer) === 404 || gone.test(alert ?? ''))
    throw new StepError('profile_not_found', { message: 'The channel or playlist does not exist, or is not public.' })
  if (alert !== undefined) throw new StepError('upstream_error', { transient: true, message: 'YouTube shows no list.' })
}
