import type { VideoInfo } from '../ytdlp/info.ts'

/** The title of a video, without the time of day that yt-dlp puts behind the title of a broadcast. */
export const titleOfInfo = ({ title, liveStatus }: Pick<VideoInfo, 'title' | 'liveStatus'>): string | null =>
  liveStatus === 'is_live' ? (title?.replace(/ \d{4}-\d\d-\d\d \d\d:\d\d$/, '') ?? null) : title
