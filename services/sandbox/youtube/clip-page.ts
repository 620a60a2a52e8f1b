import type { CatalogueVideo } from '../catalogue.ts'
import type { SandboxPage } from '../site.ts'
import { type YouTubeVideo, youtubeVideos } from './catalogue.ts'
import type { Asking } from './player.ts'
import { type DataForm, watchPage } from './watch-page.ts'

const CLIP_SECONDS = { from: 1, to: 3 }

/** The id of the one clip of a video. */
export const clipIdOf = ({ id }: CatalogueVideo): string => `Ugkx${id}SandboxClipOf0001`

/** The video of a clip's path; undefined if there is none. */
export const clippedAt = (pathname: string): YouTubeVideo | undefined =>
  youtubeVideos.find((video) => video.trouble === undefined && pathname === `/clip/${clipIdOf(video)}`)

/** YouTube sends clips in both forms. Here each creator uses one of them. */
export const clipFormOf = ({ creator }: CatalogueVideo): DataForm =>
  creator.handle === 'kitchenradio' ? 'script' : 'variable'

/** The data of `/clip/…`: the watch page of the whole video, with the limits of the clip. */
export function clipPage(video: YouTubeVideo, asking: Omit<Asking, 'client'>): SandboxPage {
  const { data, render } = watchPage(video, asking, clipFormOf(video))
  const { initialData } = data as { initialData: { engagementPanels: object[] } }
  const withClip = {
    ...initialData,
    currentVideoEndpoint: { watchEndpoint: { videoId: video.id } },
    engagementPanels: [...initialData.engagementPanels, clipPanel()],
  }
  return { data: { ...data, initialData: withClip }, render }
}

/** The clip panel beside the player, with a button that plays it again. */
function clipPanel(): object {
  const { from, to } = CLIP_SECONDS
  const loopCommand = { loop: true, startTimeMs: String(from * 1_000), endTimeMs: String(to * 1_000) }
  const again = { buttonRenderer: { command: { commandExecutorCommand: { commands: [{ loopCommand }] } } } }
  const popup = { notificationActionRenderer: { actionButton: again } }
  const onScrubExit = { commandExecutorCommand: { commands: [{ openPopupAction: { popup } }] } }
  const content = { clipSectionRenderer: { contents: [{ clipAttributionRenderer: { onScrubExit } }] } }
  return { engagementPanelSectionListRenderer: { panelIdentifier: 'engagement-panel-clip-view', content } }
}
