import type { CaptionTrack, CatalogueVideo, Creator, Trouble } from '../catalogue.ts'
import { cuesOf, type FilmName } from '../films.ts'

/** A post of X. Its text is both its title and its description. */
export type Post = CatalogueVideo & {
  /** Films of its further videos. */
  more?: FilmName[]
  /** A post of text only. */
  silent?: true
  /** The error that X's API returns instead of the post. */
  apiError?: string
}

const pageTurners: Creator = {
  id: '1730000000000000001',
  handle: 'pageturners',
  name: 'Page Turners',
}

const nightKettle: Creator = {
  id: '1730000000000000002',
  handle: 'nightkettle',
  name: 'Night Kettle',
}

/** X has only human captions, or does not say who wrote them. */
const captions = (film: FilmName): CaptionTrack[] => [
  { language: 'en', label: 'English', kind: 'human', cues: cuesOf(film, 'en') },
  { language: 'es', label: 'Spanish', kind: 'human', cues: cuesOf(film, 'es') },
]

type Given = Partial<Post> & { id: string; description: string }

const post = ({ creator = pageTurners, ...given }: Given): Post => ({
  platform: 'x',
  url: `https://x.com/${creator.handle}/status/${given.id}`,
  creator,
  title: given.description,
  published: '2026-06-01T12:00:00Z',
  views: 4_186,
  likes: 296,
  comments: 2,
  shares: 68,
  film: 'leisure',
  captions: [],
  ...given,
})

const troubled = (id: string, description: string, trouble: Trouble): Post => post({ id, description, trouble })

const playing: Post[] = [
  post({
    id: '2039999999898554369',
    description: 'A chapter of Sense and Sensibility, with captions. #audiobook #JaneAusten',
    published: '2026-04-03T09:34:36Z',
    views: 71_204,
    likes: 1_902,
    comments: 37,
    shares: 410,
    film: 'chapter',
    captions: captions('chapter'),
  }),
  post({
    id: '2021646665118650369',
    creator: nightKettle,
    description: 'What the kettle heard last night & did not write down',
    published: '2026-02-11T18:05:00Z',
    film: 'amiable',
    views: 803,
    likes: 0,
    comments: 0,
    shares: 1,
  }),
  post({
    id: '2056997223920570369',
    description: 'Two pages of one evening. #audiobook',
    published: '2026-05-20T07:15:30Z',
    captions: captions('leisure'),
    more: ['amiable'],
  }),
]

/** A post with visible text and a video that does not play. */
export const textPost: Post = post({
  id: '2061417475077050369',
  description: 'Which page shall we read tonight?',
  silent: true,
})

/** A short link of X may lead anywhere. */
export const linkToNews = { url: 'https://t.co/PagesToday', leadsTo: 'https://news.example.com/pages-of-today' }

const inTrouble: Post[] = [
  troubled('2061779862942650369', 'For our friends only', 'private'),
  troubled('2062142250808250369', 'A page that we took back', 'deleted'),
  troubled('2062504638673850369', 'Not for young readers', 'age_restricted'),
  troubled('2062867026539450369', 'Banned in one country', 'geo_blocked'),
  troubled('2063229414405050369', 'Read too often', 'rate_limited'),
  { ...troubled('2063953866159450369', 'Lost and found', 'api_fails'), apiError: 'Dependency: Unspecified' },
  { ...troubled('2064316254025050369', 'Out of order', 'api_fails'), apiError: 'Dependency: Internal error.' },
]

/** Posts with a video. */
export const xVideos: readonly Post[] = [...playing, ...inTrouble]
