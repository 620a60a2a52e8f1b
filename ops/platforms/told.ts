import type { SocialPlatform } from '#packages/platforms/urls/url-family.ts'
import type { VideoInfo } from '#packages/platforms/ytdlp/info.ts'

/** A field of ours. */
type Field = 'title' | 'author' | 'duration' | 'thumbnail' | 'createdAt' | 'views' | 'likes' | 'comments' | 'shares'

const always = { duration: 'durationSeconds', thumbnail: 'thumbnail', createdAt: 'timestamp' } as const
const counts = { views: 'viewCount', likes: 'likeCount', comments: 'commentCount', shares: 'repostCount' } as const
const { shares: _, ...countsOfYouTube } = counts
const { views: __, ...countsOfInstagram } = countsOfYouTube

/**
 * What each platform tells of a video, and where yt-dlp has it. What is not here it does not tell guests, or yt-dlp does
 * not read.
 */
const told: Record<SocialPlatform, Partial<Record<Field, keyof VideoInfo>>> = {
  youtube: { title: 'title', author: 'channel', ...always, ...countsOfYouTube },
  tiktok: { title: 'description', author: 'channel', ...always, ...counts },
  instagram: { title: 'description', author: 'uploader', ...always, ...countsOfInstagram },
  // its title is the author and the words
  x: { title: 'description', author: 'uploader', ...always, ...counts },
  facebook: { title: 'title', author: 'uploader', ...always, ...counts },
}

/** What is missing of what the platform has always told. */
export const missingIn = (info: VideoInfo, platform: SocialPlatform): string[] =>
  Object.entries(told[platform]).flatMap(([field, key]) => (info[key] === null ? [field] : []))
