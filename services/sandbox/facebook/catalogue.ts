import type { CaptionTrack, CatalogueVideo, Creator, Trouble } from '../catalogue.ts'
import { cuesOf, type FilmName, heardIn } from '../films.ts'

/** Videos have a page of their own. Reels are shown among others, and Facebook shows less about them. */
export type FacebookVideo = CatalogueVideo & { shown: 'watch' | 'reel' }

const eveningReaders: Creator = {
  id: '100090000000001',
  handle: 'eveningreaders',
  name: 'Evening Readers',
}

const soupAndSentences: Creator = {
  id: '100090000000002',
  handle: 'soupandsentences',
  name: 'Soup & Sentences',
}

const human = (film: FilmName): CaptionTrack[] => [
  { language: 'en_US', label: 'English', kind: 'human', cues: cuesOf(film, 'en') },
  { language: 'de_DE', label: 'German', kind: 'human', cues: cuesOf(film, 'de') },
]
const automatic = (film: FilmName): CaptionTrack[] => [
  { language: 'en_US', label: 'English', kind: 'automatic', cues: heardIn(film) },
]

type Given = Partial<FacebookVideo> & { id: string; title: string }

const video = ({ film = 'leisure', shown = 'watch', ...given }: Given): FacebookVideo => ({
  platform: 'facebook',
  url: `https://www.facebook.com/${shown === 'reel' ? `reel/${given.id}` : `watch/?v=${given.id}`}`,
  shown,
  creator: eveningReaders,
  description: `${given.title}. Read by volunteers. #audiobook`,
  published: '2026-05-02T19:15:00Z',
  views: 9_712,
  likes: 352,
  comments: 18,
  shares: 26,
  film,
  captions: automatic(film),
  ...given,
})

const troubled = (id: string, title: string, trouble: Trouble, shown: FacebookVideo['shown'] = 'watch') =>
  video({ id, title, trouble, shown })

const playing: FacebookVideo[] = [
  video({
    id: '1400000000000101',
    title: 'A chapter by candlelight',
    published: '2026-03-28T20:00:00Z',
    views: 133_000,
    likes: 2_095,
    comments: 48,
    shares: 133,
    film: 'chapter',
    captions: human('chapter'),
  }),
  video({ id: '1400000000000102', title: 'What the machine heard' }),
  video({
    id: '1400000000000103',
    title: 'No captions, only soup',
    creator: soupAndSentences,
    film: 'amiable',
    captions: [],
    views: 803,
    likes: 12,
    comments: 0,
    shares: 0,
  }),
  video({
    id: '1400000000000104',
    title: 'Had he married a more amiable woman…',
    description: 'Had he married a more amiable woman…',
    creator: soupAndSentences,
    shown: 'reel',
    film: 'amiable',
    published: '2026-06-11T08:45:10Z',
  }),
]

const inTrouble: FacebookVideo[] = [
  troubled('1400000000000201', 'For our friends only', 'private'),
  troubled('1400000000000202', 'An evening taken back', 'deleted'),
  troubled('1400000000000203', 'Members of the circle', 'login_required'),
  troubled('1400000000000204', 'Read too often', 'rate_limited'),
  troubled('1400000000000205', 'An evening behind the wall', 'login_wall', 'reel'),
]

export const facebookVideos: readonly FacebookVideo[] = [...playing, ...inTrouble]
