import type { VideoInfo } from '../ytdlp/info.ts'

/** The title of a video, without the date and time that yt-dlp appends to the title of a broadcast. */
export const titleOfInfo = ({ title, liveStatus }: Pick<VideoInfo, 'title' | 'liveStatus'>): string | null =>
  liveStatus === 'is_live' ? (title?.replace(/ \d{4}-\d\d-\d\d \d\d:\d\d$/, '') ?? null) : title
