import type { ProfilePlatform } from '#packages/platforms/urls/profile-name.ts'
import type { SocialPlatform } from '#packages/platforms/urls/url-family.ts'

/** What is looked at on a platform. */
export type Examples = { urls: readonly string[]; creator?: string }

/** Public videos that have been there for years, most of them in the tests of yt-dlp too, and creators of their own. */
export const examples: Record<SocialPlatform, Examples> & Record<ProfilePlatform, { creator: string }> = {
  youtube: { urls: ['https://www.youtube.com/watch?v=jNQXAC9IVRw', 'https://www.youtube.com/watch?v=dQw4w9WgXcQ'] },
  tiktok: {
    urls: [
      'https://www.tiktok.com/@hankgreen1/video/7047596209028074758',
      'https://www.tiktok.com/@patroxofficial/video/6742501081818877190',
    ],
    creator: 'tiktok',
  },
  instagram: {
    urls: ['https://www.instagram.com/reel/Chunk8-jurw/', 'https://www.instagram.com/p/aye83DjauH/'],
    creator: 'instagram',
  },
  x: {
    urls: ['https://x.com/starwars/status/665052190608723968', 'https://x.com/NASA/status/1410624005669169154'],
  },
  facebook: {
    urls: [
      'https://www.facebook.com/watch/?v=10155529876156509',
      'https://www.facebook.com/watch/?v=10153231379946729',
    ],
  },
}

/** A word that every platform has videos of. */
export const QUERY = 'music'
