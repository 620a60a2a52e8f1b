import type { Disturbance } from '../disturbance.ts'

const WATCH = '/watch'
const PLAYER = '/youtubei/v1/player'
const DETAILS = 'videoDetails'
const MICROFORMAT = 'microformat.playerMicroformatRenderer'
const INFO = 'initialData.contents.twoColumnWatchNextResults.results.results.contents.*'
const LIKE = [
  'videoPrimaryInfoRenderer.videoActions.menuRenderer.topLevelButtons.*.segmentedLikeDislikeButtonViewModel',
  'likeButtonViewModel.likeButtonViewModel.toggleButtonViewModel.toggleButtonViewModel.defaultButtonViewModel',
  'buttonViewModel.accessibilityText',
].join('.')

const without = (path: string, field: string): Disturbance => ({
  host: 'www.youtube.com',
  path,
  how: { kind: 'without', field },
})

/** Removes a field from all player responses: those in the page, and those of the player API. */
const fromPlayers = (...fields: string[]): Disturbance[] =>
  fields.flatMap((field) => [without(WATCH, `playerResponse.${field}`), without(PLAYER, field)])

/** For each field of a video: the disturbances that remove it from all answers of YouTube. */
export const youtubeFields = {
  title: fromPlayers(`${DETAILS}.title`, `${MICROFORMAT}.title`),
  description: fromPlayers(`${DETAILS}.shortDescription`, `${MICROFORMAT}.description`),
  tags: fromPlayers(`${DETAILS}.keywords`),
  author: [without(WATCH, `${INFO}.videoSecondaryInfoRenderer.owner.videoOwnerRenderer.title`)],
  views: [
    ...fromPlayers(`${DETAILS}.viewCount`, `${MICROFORMAT}.viewCount`),
    without(WATCH, `${INFO}.videoPrimaryInfoRenderer.viewCount`),
  ],
  likes: [without(WATCH, `${INFO}.${LIKE}`)],
  comments: [without(WATCH, 'initialData.engagementPanels')],
  duration: fromPlayers(`${DETAILS}.lengthSeconds`, `${MICROFORMAT}.lengthSeconds`),
  published: [...fromPlayers(`${MICROFORMAT}.uploadDate`), without(WATCH, `${INFO}.videoPrimaryInfoRenderer.dateText`)],
  thumbnail: fromPlayers(`${DETAILS}.thumbnail`, `${MICROFORMAT}.thumbnail`),
  captions: fromPlayers('captions'),
} satisfies Record<string, Disturbance[]>

const VIDEO = [
  'contents.twoColumnSearchResultsRenderer.primaryContents.sectionListRenderer.contents.*',
  'itemSectionRenderer.contents.*.videoRenderer',
].join('.')
const fromSearch = (...fields: string[]): Disturbance[] =>
  fields.map((field) => without('/youtubei/v1/search', `${VIDEO}.${field}`))

/** For each field of a search result: the disturbances that remove it. */
export const youtubeSearchFields = {
  title: fromSearch('title'),
  author: fromSearch('ownerText', 'shortBylineText'),
  authorId: fromSearch('ownerText.runs.*.navigationEndpoint'),
  views: fromSearch('viewCountText'),
  length: fromSearch('lengthText'),
  thumbnail: fromSearch('thumbnail'),
} satisfies Record<string, Disturbance[]>

const TAB = 'contents.twoColumnBrowseResultsRenderer.tabs'
const GRID = `${TAB}.*.tabRenderer.content.richGridRenderer.contents.*.richItemRenderer.content`
const MORE = 'onResponseReceivedActions'
const METADATA = 'metadata.channelMetadataRenderer'

/** Fields of channels and playlists, and what our reader reports as missing without them. */
export const youtubeListFields = {
  endpoint: ['list.endpoint'],
  [TAB]: [`list.${TAB}`],
  [`${TAB}.*.tabRenderer.endpoint`]: [`list.${TAB}[].tabRenderer.endpoint`],
  [`${TAB}.*.tabRenderer.content`]: [`list.${TAB}[].tabRenderer.content`],
  [`${GRID}.*`]: ['list.videos'],
  [`${METADATA}.externalId`]: [`list.${METADATA}.externalId`],
  [`${METADATA}.title`]: [`list.${METADATA}.title`],
  'metadata.playlistMetadataRenderer': ['list.metadata.playlistMetadataRenderer'],
  [MORE]: [`list.${MORE}`],
} satisfies Record<string, string[]>
