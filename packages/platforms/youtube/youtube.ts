import type { SearchResult } from '#contracts/generated/http.ts'
import { commonFields } from '../live-check.ts'
import type { PlatformDefinition } from '../platform-definition.ts'
import type { SiteOptions } from '../reading/ask-platform.ts'
import type { Reading } from '../reading/reading.ts'
import { Shape } from '../reading/shape.ts'
import { parseAnswer, type Site } from '../reading/site.ts'
import type { Details, SearchSource } from '../search/search-source.ts'
import { titleOfInfo } from '../videos/title-of-info.ts'
import { channelOf } from './channel-of.ts'
import type { InnerTube } from './innertube.ts'
import { parsePlayer, parseSearch, parseSearchOn } from './parse-search.ts'
import { postTo, speak } from './speak.ts'
import { youtubeUrls } from './urls.ts'
import { createWatch } from './watch/create-watch.ts'

const site: Site = { platform: 'youtube', operation: 'search', label: 'YouTube' }

/** Searches YouTube. Only the player has the publication date and likes; `details` reads them. */
export function createYouTubeSearch({ browse, report }: SiteOptions): SearchSource {
  const spoken = <T>(reading: Reading, ask: (tube: InnerTube) => Promise<T>): Promise<T> =>
    speak(site, postTo(site, browse, reading), reading.signal, ask)
  return {
    async find({ q, token }, reading) {
      const searched = await spoken(reading, (tube) => (token === null ? tube.search(q) : tube.searchOn(token)))
      return parseAnswer(site, Shape.of('search', searched), report, token === null ? parseSearch : parseSearchOn)
    },
    async details(result: SearchResult, reading): Promise<Details> {
      const id = youtubeUrls.recognise(new URL(result.url))?.id
      const answer = await spoken(reading, (tube) => tube.player(id ?? ''))
      const { likes, ...details } = parseAnswer(site, Shape.of('player', answer), report, parsePlayer)
      return { ...details, stats: { ...result.stats, likes } }
    },
  }
}

export const youtube = {
  name: 'youtube',
  label: 'YouTube',
  urls: youtubeUrls,
  ytdlp: {
    extractors: ['youtube.*'],
    pages: /https:\/\/www\.youtube\.com\/watch\?v=[\w-]{11}/,
  },
  second: { way: 'innertube', create: createWatch },
  readsPerMinute: 60,
  titleOf: titleOfInfo,
  authorOf: ({ channel, uploader }) => channel ?? uploader,
  accountOf: ({ channelId }) => channelOf(channelId),
  tagsOf: ({ tags }) => tags,
  search: { create: createYouTubeSearch },
  oembed: { endpoint: 'https://www.youtube.com/oembed?format=json' },
  check: {
    lists: { channel: 'jawed', playlist: 'UU4QobU6STFB0P71PMvOGN5A' },
    urls: ['https://www.youtube.com/watch?v=jNQXAC9IVRw', 'https://www.youtube.com/watch?v=dQw4w9WgXcQ'],
    fields: {
      title: 'title',
      author: 'channel',
      ...commonFields,
      views: 'viewCount',
      authorId: 'channelId',
      description: 'description',
      tags: 'tags',
    },
  },
} as const satisfies PlatformDefinition
