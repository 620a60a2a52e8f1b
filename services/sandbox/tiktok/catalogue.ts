import type { CaptionTrack, CatalogueVideo, Creator, Trouble } from '../catalogue.ts'
import { cuesOf, type FilmName } from '../films.ts'

export type TikTokCreator = Creator & {
  followers: number
  following: number
  /** Likes of all posts together. */
  likes: number
  videos: number
  verified: boolean
  /**
   * What guests see of the profile. `wall`: the empty page that TikTok sends to addresses it distrusts. `shell`: a page
   * filled by its script. `private_shell`: the same for a private account that has its videos on the page for
   * embedding. Signed-in callers also see private profiles.
   */
  profile: 'open' | 'private' | 'embed_banned' | 'wall' | 'shell' | 'private_shell'
  /** The gate before all pages of the creator: a proof of work, or a refusal of the newest Chromes. */
  gate?: 'proof_of_work' | 'newest_chrome'
}

export type TikTokVideo = CatalogueVideo & {
  creator: TikTokCreator
  /** The code in `vm.tiktok.com`, `vt.tiktok.com` and `www.tiktok.com/t` links. */
  shortCode: string
  /** Music that replaces its own sound. */
  music?: FilmName
  /** The post has pictures and sound, but no film. */
  pictures?: true
}

const creator = (number: number, handle: string, name: string, given: Partial<TikTokCreator> = {}): TikTokCreator => ({
  id: `71010000000000000${String(number).padStart(2, '0')}`,
  handle,
  name,
  followers: 912,
  following: 87,
  likes: 4_410,
  videos: 1,
  verified: false,
  profile: 'open',
  ...given,
})

const pageTurners = creator(1, 'pageturners', 'Page Turners', {
  followers: 783_427,
  following: 12,
  likes: 3_922_256,
  videos: 13,
  verified: true,
})
const kettleSongs = creator(2, 'kettle.songs', 'Kettle Songs', { videos: 2 })
const diaries = creator(3, 'closed_diary', 'A Closed Diary', { videos: 9, profile: 'private' })
const unembeddable = creator(4, 'no.embeds', 'Not To Be Embedded', { videos: 2, profile: 'embed_banned' })
const newcomer = creator(5, 'first_day', 'First Day Here', { likes: 0, videos: 0 })
const walled = creator(6, 'behind.a.wall', 'Behind A Wall', { likes: 0, videos: 0, profile: 'wall' })
const painter = creator(7, 'paints.by.script', 'Paints By Script', { profile: 'shell' })
const hermit = creator(10, 'paints.alone', 'Paints Alone', { profile: 'private_shell' })
const tollKeeper = creator(8, 'toll.gate', 'The Toll Gate', { gate: 'proof_of_work' })
const clockmaker = creator(9, 'old.clocks', 'Old Clocks', { gate: 'newest_chrome' })

/** True if only followers may see the creator's videos. */
export const isPrivate = ({ profile }: TikTokCreator): boolean => profile === 'private' || profile === 'private_shell'

export const tiktokCreators: readonly TikTokCreator[] = [
  pageTurners,
  kettleSongs,
  diaries,
  unembeddable,
  newcomer,
  walled,
  painter,
  hermit,
  tollKeeper,
  clockmaker,
]

/** TikTok's captions: recognized speech, and its translations. */
const captionsOf = (film: FilmName): CaptionTrack[] => [
  { language: 'deu-DE', label: 'German', kind: 'machine_translated', cues: cuesOf(film, 'de') },
  { language: 'eng-US', label: 'English', kind: 'automatic', cues: cuesOf(film, 'en') },
  { language: 'spa-ES', label: 'Spanish', kind: 'machine_translated', cues: cuesOf(film, 'es') },
]

/** The upper half of an id is the second in which the video was published. */
const idOf = (published: string, number: number): string =>
  String((BigInt(Date.parse(published) / 1_000) << 32n) + BigInt(number))

type Given = Partial<TikTokVideo> & { number: number; title: string }

function video({ number, ...given }: Given): TikTokVideo {
  const { film = 'leisure', creator = pageTurners, published = '2026-03-14T09:30:00.000Z' } = given
  const id = idOf(published, number)
  return {
    platform: 'tiktok',
    id,
    url: `https://www.tiktok.com/@${creator.handle}/video/${id}`,
    shortCode: `ZSandbox${number}`,
    creator,
    description: given.title,
    published,
    views: 12_345,
    likes: 678,
    comments: 90,
    shares: 12,
    film,
    captions: captionsOf(film),
    ...given,
  }
}

const playing: TikTokVideo[] = [
  video({
    number: 1,
    title: 'The prudent brother, a whole chapter of it in one go, read slowly for those who sew',
    description:
      'The prudent brother, a whole chapter of it in one go, read slowly for those who sew #audiobook #BookTok #JaneAusten',
    published: '2026-10-02T18:00:00.000Z',
    views: 192_100,
    likes: 25_500,
    comments: 146,
    shares: 2_156,
    film: 'chapter',
    captions: captionsOf('chapter'),
  }),
  video({
    number: 2,
    title: 'Cold-hearted soup, with music #cooking',
    creator: kettleSongs,
    film: 'amiable',
    captions: captionsOf('amiable'),
    music: 'leisure',
    views: 803,
    likes: 12,
    comments: 3,
    shares: 1,
  }),
  video({
    number: 3,
    title: 'A kettle, no words #kettle',
    creator: kettleSongs,
    captions: [],
    views: 0,
    likes: 0,
    comments: 0,
    shares: 0,
  }),
]

/** Videos of creators that have only one video. */
const single: TikTokVideo[] = [
  video({ number: 4, title: 'A page, painted later', creator: painter }),
  video({ number: 5, title: 'What the toll was for', creator: tollKeeper }),
  video({ number: 6, title: 'A clock that runs late', creator: clockmaker }),
]

/** More videos than the page for embedding shows. */
const pages: TikTokVideo[] = Array.from({ length: 12 }, (_, index) =>
  video({
    number: 10 + index,
    title: `Sense and Sensibility, page ${index + 1} #audiobook #page${index + 1}`,
    views: 5_000 - index * 100,
    published: new Date(Date.UTC(2026, 3, index + 1, 12)).toISOString(),
  }),
)

const troubled = (number: number, title: string, trouble: Trouble, creator = pageTurners): TikTokVideo =>
  video({ number, title, trouble, creator })

const inTrouble: TikTokVideo[] = [
  troubled(30, 'A letter to nobody', 'private'),
  troubled(31, 'Dear diary', 'private', diaries),
  troubled(32, 'A page torn out', 'deleted'),
  troubled(33, 'Not for young readers', 'age_restricted'),
  troubled(34, 'Published elsewhere', 'geo_blocked'),
  troubled(35, 'For those who signed in', 'login_required'),
  troubled(36, 'Read too often', 'rate_limited'),
  troubled(37, 'Read by a machine', 'bot_check'),
  troubled(38, 'Painted for nobody', 'private', hermit),
]

export const tiktokVideos: readonly TikTokVideo[] = [...playing, ...single, ...pages, ...inTrouble]

/** Posts that have no film. */
export const tiktokPhotos: readonly TikTokVideo[] = [
  video({ number: 50, title: 'Three pressed flowers #herbarium', pictures: true, captions: [] }),
]
