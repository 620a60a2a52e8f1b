import type { CaptionTrack, CatalogueVideo, Creator, Trouble } from '../catalogue.ts'
import { cuesOf, type FilmName, heardIn } from '../films.ts'

export type Channel = Creator & { bio: string; followers: number; videos: number; verified: boolean }

export type YouTubeVideo = CatalogueVideo & { creator: Channel }

const novelHour: Channel = {
  id: 'UCnovelHourSandbox000001',
  handle: 'novelhour',
  name: 'The Novel Hour',
  bio: 'Old novels, read aloud, one page at a time.',
  followers: 48_200,
  videos: 31,
  verified: true,
}

const kitchenRadio: Channel = {
  id: 'UCkitchenRadioSandbox002',
  handle: 'kitchenradio',
  name: 'Kitchen Radio',
  bio: 'A voice while you cook.',
  followers: 1_310,
  videos: 14,
  verified: false,
}

const human = (film: FilmName): CaptionTrack[] => [
  { language: 'en', label: 'English', kind: 'human', cues: cuesOf(film, 'en') },
  { language: 'de', label: 'German', kind: 'human', cues: cuesOf(film, 'de') },
]
const automatic = (film: FilmName): CaptionTrack[] => [
  { language: 'en', label: 'English (auto-generated)', kind: 'automatic', cues: heardIn(film) },
]

type Given = Partial<YouTubeVideo> & { id: string; title: string }

const video = (given: Given): YouTubeVideo => {
  const film = given.film ?? 'leisure'
  return {
    platform: 'youtube',
    url: `https://www.youtube.com/watch?v=${given.id}`,
    creator: novelHour,
    description: `${given.title}.\n\nRead by volunteers. #audiobook #classics`,
    published: '2026-03-14T09:30:00Z',
    views: 12_345,
    likes: 678,
    comments: 90,
    shares: 0,
    film,
    captions: [...human(film), ...automatic(film)],
    ...given,
  }
}

const troubled = (id: string, title: string, trouble: Trouble): YouTubeVideo => video({ id, title, trouble })

const playing: YouTubeVideo[] = [
  video({
    id: 'nvlHourCh01',
    title: 'A Chapter Read Aloud: the prudent brother',
    description: 'What John Dashwood might prudently do.\n\nRead by volunteers. #audiobook #JaneAusten #classics',
    published: '2026-01-05T17:00:00Z',
    views: 91_663,
    likes: 618,
    comments: 42,
    film: 'chapter',
  }),
  video({
    id: 'ktchnRadio1',
    title: 'Cold-hearted soup & other stories',
    creator: kitchenRadio,
    description: 'Nobody wrote captions for this one. #cooking #radio',
    film: 'amiable',
    captions: automatic('amiable'),
    chapters: [
      { start: 0, title: 'Cold-hearted soup' },
      { start: 6.3, title: 'Other stories' },
    ],
    views: 803,
    likes: 12,
    comments: 3,
  }),
  video({
    id: 'ktchnQuiet1',
    title: 'A quiet kitchen',
    creator: kitchenRadio,
    description: 'No captions at all.',
    film: 'leisure',
    captions: [],
    views: 0,
    likes: 0,
    comments: 0,
  }),
  video({
    id: 'nvlHourDub1',
    title: 'Leisure, dubbed into German',
    film: 'leisure',
    captions: automatic('leisure'),
    dubs: [{ language: 'de', label: 'German', film: 'amiable' }],
  }),
]

/** Enough videos of one kind for the largest page of a search. */
const pages: YouTubeVideo[] = Array.from({ length: 24 }, (_, index) => {
  const number = String(index + 1).padStart(2, '0')
  return video({
    id: `nvlHourPg${number}`,
    title: `Sense and Sensibility, page ${index + 1}`,
    views: 5_000 - index * 100,
    published: new Date(Date.UTC(2026, 3, index + 1, 12)).toISOString(),
  })
})

const inTrouble: YouTubeVideo[] = [
  troubled('nvlPrivate1', 'A letter to nobody', 'private'),
  troubled('nvlDeleted1', 'A page torn out', 'deleted'),
  troubled('nvlAgeGate1', 'Not for young readers', 'age_restricted'),
  troubled('nvlGeoBlck1', 'Published elsewhere', 'geo_blocked'),
  troubled('nvlMembers1', 'For members of the reading circle', 'members_only'),
  troubled('nvlRateLim1', 'Read too often', 'rate_limited'),
  troubled('nvlBotChck1', 'Read by a machine', 'bot_check'),
  troubled('nvlAndroid1', 'Read on a telephone only', 'bot_check_but_android'),
  troubled('nvlBotIntst', 'Read by a machine, newly told', 'bot_check_interstitial'),
  troubled('nvlPrvIntst', 'A letter to nobody, newly told', 'private_interstitial'),
  troubled('nvlOtherVid', 'Another book than was asked for', 'other_video'),
  troubled('nvlReload01', 'A page that needs to be reloaded', 'needs_reload'),
  troubled('nvlSignInPl', 'For readers who sign in', 'login_required'),
  troubled('nvlLiveNow1', 'Reading live, all night', 'live'),
  troubled('nvlUpcoming', 'Reading tomorrow', 'upcoming'),
  troubled('nvlCapToken', 'Captions under lock and key', 'captions_need_token'),
  troubled('nvlCapHeld1', 'Captions that are held back', 'captions_withheld'),
]

export const youtubeVideos: readonly YouTubeVideo[] = [...playing, ...pages, ...inTrouble]
