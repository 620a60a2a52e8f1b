import type { Channel, YouTubeVideo } from './catalogue.ts'

/** A channel with more videos than YouTube lists on one page. */
export const longShelf: Channel = {
  id: 'UClongShelfSandbox000003',
  handle: 'longshelf',
  name: 'The Long Shelf',
  bio: 'One book after the other, each in a minute.',
  followers: 1_234,
  videos: 110,
  verified: true,
}

const onShelf = (id: string, title: string, place: number): YouTubeVideo => ({
  platform: 'youtube',
  id,
  url: `https://www.youtube.com/watch?v=${id}`,
  creator: longShelf,
  title,
  description: `${title}, in a minute. #shelf`,
  published: new Date(Date.UTC(2025, 0, 1 + place, 12)).toISOString(),
  views: 40_000 - place * 100,
  likes: 100 + place,
  comments: place,
  shares: 0,
  film: 'leisure',
  captions: [],
})

const numbered = (count: number, prefix: string, title: string): YouTubeVideo[] =>
  Array.from({ length: count }, (_, index) => {
    const number = String(index + 1).padStart(3, '0')
    return onShelf(`${prefix}${number}`, `${title} ${index + 1}`, index)
  })

/** The channel's videos of each type, oldest first. */
export const shelf = {
  videos: numbered(110, 'lngShelf', 'Book'),
  shorts: numbered(3, 'lngShort', 'A line from book'),
  lives: numbered(2, 'lngLives', 'An evening with book'),
} as const

export const shelfVideos: readonly YouTubeVideo[] = Object.values(shelf).flat()
