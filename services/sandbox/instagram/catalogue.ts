import type { CatalogueVideo, Creator, Trouble } from '../catalogue.ts'
import type { FilmName } from '../films.ts'

export type InstagramCreator = Creator & {
  bio: string
  followers: number
  following: number
  videos: number
  verified: boolean
  /**
   * What guests see of the profile. `open`: page and interface. `page_only`: the page without files; the interface
   * answers 400. `api_only`: the interface; the page leads to a login. `wait`: nothing for now (401). Signed-in callers
   * see everything, also `private` profiles.
   */
  profile: 'open' | 'private' | 'page_only' | 'api_only' | 'wait'
}

/** One film or picture of a post. */
export type Part = { kind: 'film' | 'picture'; film: FilmName }

export type InstagramPost = CatalogueVideo & {
  creator: InstagramCreator
  /** Reels have an address of their own. */
  kind: 'reel' | 'video' | 'image' | 'carousel'
  /** The films and pictures in order. A single one, unless the post is a carousel. */
  parts: readonly [Part, ...Part[]]
  /** Visible only to people that its creator chose. */
  audience?: 'besties'
  /** The code in its `www.instagram.com/share` link. */
  shareCode: string
}

const creator = (
  number: number,
  handle: string,
  name: string,
  given: Partial<InstagramCreator> = {},
): InstagramCreator => ({
  id: `700100${number}`,
  handle,
  name,
  bio: '',
  followers: 87,
  following: 3,
  videos: 1,
  verified: false,
  profile: 'open',
  ...given,
})

const almanac = creator(1, 'garden.almanac', 'The Garden Almanac', {
  bio: 'What to sow, and what to read meanwhile.',
  followers: 15_430,
  following: 211,
  videos: 14,
  verified: true,
})
const lighthouse = creator(2, 'lighthouse_keeper', 'Lighthouse Keeper', { videos: 2 })
const attic = creator(3, 'locked.attic', 'Locked Attic', { profile: 'private' })
const museum = creator(4, 'museum_of_maps', 'Museum of Maps', {
  bio: 'Maps of places that are not there.',
  profile: 'page_only',
})
const queue = creator(5, 'please_wait_here', 'Please Wait Here', { profile: 'wait' })
const shop = creator(6, 'corner_shop', 'The Corner Shop', { profile: 'api_only' })

export const instagramCreators: readonly InstagramCreator[] = [almanac, lighthouse, attic, museum, queue, shop]

type Given = Partial<InstagramPost> & Pick<InstagramPost, 'id' | 'kind' | 'description'>

/** A post with one film, unless `parts` say otherwise. Instagram has no captions. */
function post(given: Given): InstagramPost {
  const film = given.film ?? 'leisure'
  return {
    platform: 'instagram',
    url: `https://www.instagram.com/${given.kind === 'reel' ? 'reel' : 'p'}/${given.id}/`,
    shareCode: `BA${given.id}`,
    creator: almanac,
    title: given.description,
    published: '2026-03-14T09:30:00.000Z',
    views: 12_345,
    likes: 678,
    comments: 90,
    shares: 0,
    film,
    captions: [],
    parts: [{ kind: given.kind === 'image' ? 'picture' : 'film', film }],
    ...given,
  }
}

const playing: InstagramPost[] = [
  post({
    id: 'DSandReel01',
    kind: 'reel',
    description: 'The prudent brother, read among the beans #audiobook #JaneAusten #garden',
    published: '2026-10-03T07:00:00.000Z',
    views: 35_499,
    likes: 387,
    comments: 12,
    film: 'chapter',
  }),
  post({
    id: 'DSandFeed01',
    kind: 'video',
    description: 'Cold-hearted soup #cooking',
    creator: lighthouse,
    published: '2026-05-05T05:05:05.000Z',
    film: 'amiable',
    views: 40,
    likes: 2,
    comments: 0,
  }),
]

/** Posts of creators that have only one post. */
const single: InstagramPost[] = [
  post({ id: 'DSandMap001', kind: 'reel', description: 'A map of nowhere #maps', creator: museum }),
  post({ id: 'DSandShop01', kind: 'reel', description: 'Soup, sold cold', creator: shop, film: 'amiable' }),
]

const carousels: InstagramPost[] = [
  post({
    id: 'DSandCaro01',
    kind: 'carousel',
    description: 'Two readings and a seed packet #sowing',
    published: '2026-09-01T12:00:00.000Z',
    film: 'amiable',
    parts: [
      { kind: 'picture', film: 'leisure' },
      { kind: 'film', film: 'amiable' },
      { kind: 'film', film: 'leisure' },
    ],
  }),
  post({
    id: 'DSandCaro03',
    kind: 'carousel',
    description: 'Both readings, no beans',
    creator: lighthouse,
    parts: [
      { kind: 'film', film: 'leisure' },
      { kind: 'film', film: 'amiable' },
    ],
  }),
]

/** Posts without a film. */
const pictures: InstagramPost[] = [
  post({
    id: 'DSandPict01',
    kind: 'image',
    description: 'A bean, unread to #garden',
    published: '2026-08-01T12:00:00.000Z',
  }),
  post({
    id: 'DSandCaro02',
    kind: 'carousel',
    description: 'Three beans',
    published: '2026-07-01T12:00:00.000Z',
    parts: [
      { kind: 'picture', film: 'leisure' },
      { kind: 'picture', film: 'amiable' },
      { kind: 'picture', film: 'chapter' },
    ],
  }),
]

/** More than a profile shows. */
const pages: InstagramPost[] = Array.from({ length: 10 }, (_, index) =>
  post({
    id: `DSandPage${String(index + 1).padStart(2, '0')}`,
    kind: 'reel',
    description: `Sense and Sensibility, page ${index + 1} #audiobook`,
    views: 5_000 - index * 100,
    published: new Date(Date.UTC(2026, 3, index + 1, 12)).toISOString(),
  }),
)

const troubled = (id: string, description: string, trouble: Trouble): InstagramPost =>
  post({ id, kind: 'reel', description, trouble })

const inTrouble: InstagramPost[] = [
  // Codes of private accounts' posts are longer: only followers can share the whole code.
  { ...troubled(`DSandPriv01${'Sandbox'.repeat(4)}`, 'A trunk, locked', 'private'), creator: attic },
  troubled('DSandGone01', 'A page torn out', 'deleted'),
  troubled('DSandAge001', 'Not for young gardeners', 'age_restricted'),
  troubled('DSandLogin1', 'For those who signed in', 'login_required'),
  { ...troubled('DSandClose1', 'For close friends', 'login_required'), audience: 'besties' },
  troubled('DSandRate01', 'Read too often', 'rate_limited'),
  troubled('DSandBot001', 'Read by a machine', 'bot_check'),
]

export const instagramVideos: readonly InstagramPost[] = [...playing, ...single, ...carousels, ...pages, ...inTrouble]
export const instagramPictures: readonly InstagramPost[] = pictures
