/** The outcome of parsing a URL: platform, id and canonical URL; null if there is none. */
export type UrlCase = {
  input: string
  platform: string | null
  id: string | null
  canonical: string | null
  kind: string
}

/** Spellings of one URL: all `inputs` have the same outcome. */
type Spellings = Omit<UrlCase, 'input'> & { inputs: readonly string[] }

const youtube = (id: string, ...inputs: string[]): Spellings => ({
  inputs,
  platform: 'youtube',
  id,
  canonical: `https://www.youtube.com/watch?v=${id}`,
  kind: 'video',
})
const tiktok = (id: string, owner: string, kind: string, ...inputs: string[]): Spellings => ({
  inputs,
  platform: 'tiktok',
  id,
  canonical: `https://www.tiktok.com/@${owner}/video/${id}`,
  kind,
})
const instagram = (id: string, page: string, ...inputs: string[]): Spellings => ({
  inputs,
  platform: 'instagram',
  id,
  canonical: `https://www.instagram.com/${page}/${id}/`,
  kind: 'video',
})
const x = (id: string, owner: string, ...inputs: string[]): Spellings => ({
  inputs,
  platform: 'x',
  id,
  canonical: `https://x.com/${owner}/status/${id}`,
  kind: 'video',
})
const facebook = (id: string, ...inputs: string[]): Spellings => ({
  inputs,
  platform: 'facebook',
  id,
  canonical: `https://www.facebook.com/watch/?v=${id}`,
  kind: 'video',
})
const profile = (platform: string, id: string, canonical: string): Spellings => ({
  inputs: [canonical],
  platform,
  id,
  canonical,
  kind: 'profile',
})
/** Short links: accepted unchanged, and followed later. */
const short = (platform: string, ...inputs: string[]): Spellings[] =>
  inputs.map((input) => ({ inputs: [input], platform, id: null, canonical: input, kind: 'short' }))
const direct = (...inputs: string[]): Spellings[] =>
  inputs.map((input) => ({ inputs: [input], platform: null, id: null, canonical: input, kind: 'direct' }))
const none = (kind: string, platform: string | null, ...inputs: string[]): Spellings => ({
  inputs,
  platform,
  id: null,
  canonical: null,
  kind,
})

/** A post under the path of the page that people share, and under its canonical path. */
const facebookPost = (id: string, path: string, ...inputs: string[]): Spellings => ({
  inputs: [`https://www.facebook.com/${path}`, ...inputs],
  platform: 'facebook',
  id,
  canonical: `https://www.facebook.com/${path}`,
  kind: 'video',
})

const facebookPosts: readonly Spellings[] = [
  facebookPost(
    '1400123456789012',
    'tea.kettle/posts/1400123456789012',
    'https://m.facebook.com/tea.kettle/posts/1400123456789012/?mibextid=y',
    'https://www.facebook.com/tea.kettle/posts/how-it-sings/1400123456789012/',
  ),
  facebookPost(
    'pfbid0TeaKettle2Sings',
    'tea.kettle/posts/pfbid0TeaKettle2Sings',
    'https://www.facebook.com/tea.kettle/posts/pfbid0TeaKettle2Sings?rdid=x#',
  ),
  facebookPost(
    '1400123456789013',
    'groups/100012345678901/posts/1400123456789013',
    'https://www.facebook.com/groups/100012345678901/permalink/1400123456789013/',
    'https://www.facebook.com/groups/100012345678901/posts/d41d8cd9/1400123456789013/?app=fbl',
  ),
  facebookPost(
    '1400123456789014',
    'T%C3%A9-100012345678902/posts/1400123456789014',
    'https://www.facebook.com/Té-100012345678902/posts/1400123456789014',
    'https://www.facebook.com/T%c3%a9-100012345678902/posts/1400123456789014',
  ),
  facebookPost(
    '211123456789012',
    'watchparty/211123456789012',
    'https://www.facebook.com/watchparty/211123456789012/?ref=a',
  ),
]

const spellings: readonly Spellings[] = [
  youtube(
    'kE77leSings',
    'https://www.youtube.com/watch?v=kE77leSings',
    'youtube.com/watch?v=kE77leSings',
    'https://m.youtube.com/watch?v=kE77leSings&t=42s',
    'https://www.youtube.com/watch?list=PLa&index=3&v=kE77leSings',
    'https://www.youtube.com:443/watch?v=kE77leSings',
    'https://youtu.be/kE77leSings',
    'https://www.youtube.com/embed/kE77leSings?start=3',
    'https://www.youtube.com/v/kE77leSings',
    'https://youtube.com/shorts/kE77leSings/',
    'https://www.youtube.com/attribution_link?u=%2Fwatch%3Fv%3DkE77leSings',
    'https://consent.youtube.com/m?continue=https%3A%2F%2Fwww.youtube.com%2Fwatch%3Fv%3DkE77leSings&hl=de',
    'https://www.youtube.com/watch_popup?v=kE77leSings',
    'https://www.youtube.com/watch?feature=player_embedded&amp;v=kE77leSings',
    'https://www.youtubekids.com/watch?v=kE77leSings&hl=en',
  ),
  youtube('-_dashes_9-', 'https://youtu.be/-_dashes_9-?si=abc'),
  tiktok(
    '7301234567890123456',
    'tea.kettle',
    'video',
    'https://www.tiktok.com/@tea.kettle/video/7301234567890123456',
    'https://tiktok.com/@Tea.Kettle/video/7301234567890123456/?is_from_webapp=1&lang=de',
  ),
  tiktok(
    '7301234567890123456',
    '_',
    'video',
    'https://www.tiktok.com/embed/7301234567890123456',
    'https://www.tiktok.com/player/v1/7301234567890123456',
    'https://www.tiktok.com/share/video/7301234567890123456',
    'https://www.tiktokv.com/share/video/7301234567890123456/',
    'https://www.tiktok.com/@MS4wLjABAAAATh8Vewkn0LYM7Fo03iec3qKdeCUOcBIouRk1mkiag6h3o_pQu/video/7301234567890123456',
  ),
  tiktok('7301234567890123457', 'tea', 'photo', 'https://www.tiktok.com/@tea/photo/7301234567890123457'),
  profile('tiktok', 'tea.kettle', 'https://www.tiktok.com/@tea.kettle'),
  none('unsupported', 'tiktok', 'https://www.tiktok.com/tag/kettles'),
  instagram(
    'CkEttl3Tea_',
    'p',
    'https://www.instagram.com/p/CkEttl3Tea_/',
    'https://instagram.com/p/CkEttl3Tea_?igsh=MTIz',
    'https://instagr.am/p/CkEttl3Tea_/',
    'https://www.instagram.com/p/CkEttl3Tea_/embed/captioned/',
  ),
  instagram(
    'CkEttl3Tea_',
    'reel',
    'https://www.instagram.com/reel/CkEttl3Tea_/',
    'https://www.instagram.com/reels/CkEttl3Tea_/',
    'https://www.instagram.com/teakettle/reel/CkEttl3Tea_/',
  ),
  profile('instagram', 'teakettle', 'https://www.instagram.com/teakettle/'),
  none('unsupported', 'instagram', 'https://www.instagram.com/stories/teakettle/3512345678901234567/'),
  x(
    '1790123456789012345',
    'TeaKettle',
    'https://x.com/TeaKettle/status/1790123456789012345',
    'https://twitter.com/TeaKettle/status/1790123456789012345?s=20',
    'https://mobile.twitter.com/TeaKettle/status/1790123456789012345',
    'https://www.twitter.com/TeaKettle/statuses/1790123456789012345',
    'https://x.com/TeaKettle/status/1790123456789012345/video/2',
    'https://fixupx.com/TeaKettle/status/1790123456789012345',
  ),
  x(
    '1790123456789012345',
    'i',
    'https://twitter.com/i/web/status/1790123456789012345',
    'https://twitter.com/statuses/1790123456789012345',
    'https://twitter.com/i/videos/1790123456789012345',
    'https://m.x.com/i/videos/tweet/1790123456789012345?embed_source=a',
    'https://twitter.com/i/cards/tfw/v1/1790123456789012345',
  ),
  none('unsupported', 'x', 'https://x.com/i/spaces/1kEttLeTeaPOT', 'https://x.com/teakettle'),
  facebook(
    '1300123456789012',
    'https://www.facebook.com/watch/?v=1300123456789012',
    'https://www.facebook.com/watch?ref=saved&v=1300123456789012',
    'https://web.facebook.com/watch/live/?v=1300123456789012',
    'https://www.facebook.com/tea.kettle/videos/1300123456789012/',
    'https://www.facebook.com/tea.kettle/videos/how-it-sings/1300123456789012/?mibextid=y',
    'https://www.facebook.com/100012345678901/videos/1300123456789012',
    'https://www.facebook.com/video.php?v=1300123456789012',
    'https://www.facebook.com/video/video.php?v=1300123456789012',
    'https://www.facebook.com/video/embed?video_id=1300123456789012',
    'https://de-de.facebook.com/tea.kettle/videos/1300123456789012/',
    'https://www.facebook.com/plugins/video.php?href=https%3A%2F%2Fwww.facebook.com%2Ftea%2Fvideos%2F1300123456789012%2F',
  ),
  {
    inputs: ['https://m.facebook.com/reel/1200123456789012/?fs=e', 'https://www.facebook.com/reel/1200123456789012'],
    platform: 'facebook',
    id: '1200123456789012',
    canonical: 'https://www.facebook.com/reel/1200123456789012',
    kind: 'video',
  },
  {
    inputs: ['https://www.facebook.com/permalink.php?story_fbid=1100123456789012&id=100012345678901'],
    platform: 'facebook',
    id: '1100123456789012',
    canonical: 'https://www.facebook.com/permalink.php?story_fbid=1100123456789012&id=100012345678901',
    kind: 'video',
  },
  ...facebookPosts,
  none('unsupported', 'youtube', 'https://www.youtube.com/playlist?list=PLaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'),
  ...short('instagram', 'https://www.instagram.com/share/reel/BAkettle12'),
  ...short('facebook', 'https://www.facebook.com/share/v/1KettleTea/', 'https://www.facebook.com/share/p/1KettlePot/'),
  ...direct('https://files.example.org/tea/kettle.mp4?signature=a', 'https://files.example.org/TEA/KETTLE.MOV'),
  // Names that look like a platform's.
  none(
    'hostile',
    null,
    'https://youtube.com.example.org/watch?v=kE77leSings',
    'https://my-youtube.com/watch?v=kE77leSings',
    'https://tiktok.com.example.org/@tea/video/7301234567890123456',
    'https://x.com.example.org/tea/status/20',
    'https://matrix.com/tea/status/20',
    'https://faceb0ok.com/watch/?v=1300123456789012',
    'https://tikt\u043ek.com/@tea/video/7301234567890123456',
  ),
  // A platform's name outside the host name.
  none(
    'hostile',
    null,
    'https://www.youtube.com@example.org/watch?v=kE77leSings',
    'https://example.org/?next=https://www.youtube.com/watch?v=kE77leSings',
    'https://www.youtube.com\\@example.org/watch?v=kE77leSings',
    '//www.youtube.com/watch?v=kE77leSings',
  ),
  // This machine and its neighbours.
  none(
    'hostile',
    null,
    'http://127.0.0.1/kettle.mp4',
    'http://localhost/kettle.mp4',
    'http://[::ffff:127.0.0.1]/kettle.mp4',
    'http://2130706433/kettle.mp4',
    'http://192.168.0.7/kettle.mp4',
  ),
  // Other schemes, and characters that no URL may have.
  none(
    'hostile',
    null,
    'file:///etc/hostname',
    'javascript:void(0)',
    'blob:https://www.youtube.com/2',
    'tiktokuser:MS4wLjABtea',
    'https://www.youtube.com/watch?v=kE77leSings%0d%0aX-Tea:%201',
  ),
  none('invalid', null, ''),
]

/** The URLs of the specification's classes, in our own spellings. */
export const urlCases: readonly UrlCase[] = spellings.flatMap(({ inputs, ...outcome }) =>
  inputs.map((input) => ({ input, ...outcome })),
)
