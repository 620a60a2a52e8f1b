import type { SandboxPage } from '../site.ts'
import type { YouTubeVideo } from './catalogue.ts'
import { type Asking, playerResponse } from './player.ts'

/** How a page carries the data around its player: in a variable, or in a separate script. */
export type DataForm = 'variable' | 'script'

/** The data of `/watch`: the page's settings, its player response and the data around the player. */
export function watchPage(
  video: YouTubeVideo,
  asking: Omit<Asking, 'client'>,
  form: DataForm = 'variable',
): SandboxPage {
  return {
    data: {
      ytcfg,
      playerResponse: playerResponse(video, { ...asking, client: 'web' }),
      initialData: initialData(video),
    },
    render: (data) => html(data as PageData, video, form),
  }
}

/**
 * The settings that YouTube's pages pass to their scripts. They contain `STS`, so the player's own script is not
 * needed.
 */
export const ytcfg = {
  INNERTUBE_CLIENT_NAME: 'WEB',
  INNERTUBE_CLIENT_VERSION: '2.20260708.00.00',
  INNERTUBE_CONTEXT: {
    client: {
      hl: 'en',
      clientName: 'WEB',
      clientVersion: '2.20260708.00.00',
      visitorData: 'CgtzYW5kYm94VmlzaSiAgICABg%3D%3D',
    },
  },
  INNERTUBE_CONTEXT_CLIENT_NAME: 1,
  PLAYER_JS_URL: '/s/player/5a4db0c5/player_ias.vflset/en_US/base.js',
  STS: 20640,
  VISITOR_DATA: 'CgtzYW5kYm94VmlzaSiAgICABg%3D%3D',
  LOGGED_IN: false,
}

const inScript = (value: unknown): string => JSON.stringify(value ?? null).replaceAll('<', '\\u003c')

type PageData = { ytcfg?: object; playerResponse?: object; initialData?: object }

const dataScripts: Record<DataForm, (data: unknown) => string> = {
  variable: (data) => `<script nonce="sandbox">var ytInitialData = ${inScript(data)};</script>`,
  script: (data) => `<script nonce="sandbox" type="application/json" id="yt-initial-data">${inScript(data)}</script>`,
}

function html({ ytcfg, playerResponse, initialData }: PageData, { id }: YouTubeVideo, form: DataForm): string {
  return `<!DOCTYPE html><html lang="en"><head><title>YouTube</title>
<script nonce="sandbox">(function() {window.ytplayer={};ytcfg.set(${inScript(ytcfg)});})();</script>
<link rel="canonical" href="https://www.youtube.com/watch?v=${id}"></head><body>
<script nonce="sandbox">var ytInitialPlayerResponse = ${inScript(playerResponse)};</script>
${dataScripts[form](initialData)}
</body></html>`
}

const grouped = (count: number): string => count.toLocaleString('en-US')
const runs = (text: string): object => ({ runs: [{ text }] })

function initialData(video: YouTubeVideo): object {
  return {
    ...(video.chapters && { playerOverlays: playerOverlays(video.chapters) }),
    responseContext: { visitorData: 'CgtzYW5kYm94VmlzaSiAgICABg%3D%3D' },
    contents: {
      twoColumnWatchNextResults: {
        results: {
          results: {
            contents: [{ videoPrimaryInfoRenderer: primary(video) }, { videoSecondaryInfoRenderer: secondary(video) }],
          },
        },
      },
    },
    engagementPanels: [
      {
        engagementPanelSectionListRenderer: {
          panelIdentifier: 'engagement-panel-comments-section',
          header: {
            engagementPanelTitleHeaderRenderer: { contextualInfo: runs(grouped(video.comments)) },
          },
        },
      },
    ],
  }
}

function playerOverlays(chapters: NonNullable<YouTubeVideo['chapters']>): object {
  const chapteredPlayerBarRenderer = {
    chapters: chapters.map(({ start, title }) => ({
      chapterRenderer: { title: { simpleText: title }, timeRangeStartMillis: start * 1_000 },
    })),
  }
  const bar = { decoratedPlayerBarRenderer: { playerBar: { chapteredPlayerBarRenderer } } }
  return { playerOverlayRenderer: { decoratedPlayerBarRenderer: bar } }
}

function primary(video: YouTubeVideo): object {
  const buttonViewModel = {
    title: grouped(video.likes),
    accessibilityText: `like this video along with ${grouped(video.likes)} other people`,
  }
  const likeButtonViewModel = {
    toggleButtonViewModel: { toggleButtonViewModel: { defaultButtonViewModel: { buttonViewModel } } },
  }
  return {
    title: runs(video.title),
    viewCount: { videoViewCountRenderer: { viewCount: { simpleText: `${grouped(video.views)} views` } } },
    videoActions: {
      menuRenderer: {
        topLevelButtons: [{ segmentedLikeDislikeButtonViewModel: { likeButtonViewModel: { likeButtonViewModel } } }],
      },
    },
    dateText: { simpleText: dayOf(video.published) },
  }
}

const dayOf = (published: string): string =>
  new Date(published).toLocaleDateString('en-US', { dateStyle: 'medium', timeZone: 'UTC' })

function secondary({ creator }: YouTubeVideo): object {
  const navigationEndpoint = {
    commandMetadata: { webCommandMetadata: { url: `/@${creator.handle}` } },
    browseEndpoint: { browseId: creator.id, canonicalBaseUrl: `/@${creator.handle}` },
  }
  const verified = { metadataBadgeRenderer: { style: 'BADGE_STYLE_TYPE_VERIFIED', tooltip: 'Verified' } }
  return {
    owner: {
      videoOwnerRenderer: {
        title: { runs: [{ text: creator.name, navigationEndpoint }] },
        subscriberCountText: { simpleText: `${grouped(creator.followers)} subscribers` },
        navigationEndpoint,
        ...(creator.verified && { badges: [verified] }),
      },
    },
  }
}
