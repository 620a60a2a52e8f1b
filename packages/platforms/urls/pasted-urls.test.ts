import { expect } from 'chai'
import { parseVideoUrl } from './parse-video-url.ts'

/** Inputs as people paste them, from public bug reports and RFC 3986, appendix C. */
const ID = 'q7Zt-Kp_3aE'
const YOUTUBE = `https://www.youtube.com/watch?v=${ID}`
const FILE = 'https://cdn.example.com/clip.mp4'

describe('what people paste', () => {
  for (const [input, canonical] of [
    [`<https://youtu.be/${ID}>`, YOUTUBE],
    [`"https://youtu.be/${ID}"`, YOUTUBE],
    [`„https://youtu.be/${ID}“`, YOUTUBE],
    [`( https://youtu.be/${ID} )`, YOUTUBE],
    [`<URL:https://youtu.be/${ID}>`, YOUTUBE],
    [`\u200bhttps://youtu.be/${ID}\u2060`, YOUTUBE],
    [`%20https://youtu.be/${ID}%20%E2%80%8B`, YOUTUBE],
    [`https://youtu.be/${ID}),`, YOUTUBE],
    [`https://youtu.be/${ID}?si=a.`, YOUTUBE],
    [`https://youtu.be/${ID}: watch it!`, YOUTUBE],
    ['https://x.com/tea/status/20;', 'https://x.com/tea/status/20'],
    ['https://fb.watch/abc.', 'https://fb.watch/abc'],
    [`[A kettle](https://youtu.be/${ID} "sings")`, YOUTUBE],
    [`![](<https://youtu.be/${ID}>)`, YOUTUBE],
    [`[https://youtu.be/${ID}](https://youtu.be/${ID})`, YOUTUBE],
    [`[${FILE}](https://youtu.be/${ID})`, YOUTUBE],
    [`<a href="https://youtu.be/${ID}">here</a>`, YOUTUBE],
    ['Check this out!\nhttps://vm.tiktok.com/ZSrRvKabc/ #tea', 'https://vm.tiktok.com/ZSrRvKabc/'],
    ['看这个：https://vm.tiktok.com/ZSrRvKabc/，', 'https://vm.tiktok.com/ZSrRvKabc/'],
    [`https://youtu.be/${ID}\nA title below`, YOUTUBE],
    [`(${FILE})`, FILE],
    [`see (${FILE}).`, FILE],
    [`[film](${FILE})`, FILE],
    [`${FILE} is the film`, FILE],
    ['https://cdn.example.com/my film.mp4', 'https://cdn.example.com/my%20film.mp4'],
    // a file's name may end in any of them
    ...['.', ',', ':', ';', ')', '!', '%29'].map((end) => [`${FILE}${end}`, `${FILE}${end}`] as const),
  ] as const)
    it(`${JSON.stringify(input)} is ${canonical}`, () => {
      expect(parseVideoUrl(input)).to.include({ accepted: true, canonical })
    })

  for (const [input, kind, reason] of [
    [`https://youtu.be/${ID} https://youtu.be/aaaaaaaaaaa`, 'invalid', /^holds 2 links/],
    ['watch my film please', 'invalid', /must be a full http/],
    ['view-source:https://www.tiktok.com/1', 'hostile', /must begin with http/],
    ['see https://127.0.0.1/a.mp4', 'hostile', /not an address/],
    ['see https://user:pw@cdn.example.com/a.mp4', 'hostile', /user name or password/],
    ['see https://x.com.evil.example/a/status/1.', 'hostile', /only begins like/],
    ['see https://www.youtube.com\\@evil.example/', 'hostile', /backslashes/],
  ] as const)
    it(`${JSON.stringify(input)} is refused: ${reason.source}`, () => {
      const parsed = parseVideoUrl(input)
      expect(parsed).to.include({ accepted: false, kind })
      expect(parsed).to.have.property('reason').that.matches(reason)
    })
})

describe('hosts of a platform other than those of its videos', () => {
  for (const [input, canonical] of [
    [`https://tv.youtube.com/watch/${ID}`, YOUTUBE],
    [`https://studio.youtube.com/video/${ID}/edit`, YOUTUBE],
    [`https://www.youtube.com/?v=${ID}`, YOUTUBE],
    [`https://twitter.com/intent/tweet?text=a&url=${encodeURIComponent(YOUTUBE)}`, YOUTUBE],
    [`https://www.facebook.com/sharer/sharer.php?u=${encodeURIComponent(YOUTUBE)}`, YOUTUBE],
    [
      'https://www.tiktok.com/foryou?item_id=7483545838820642055',
      'https://www.tiktok.com/@_/video/7483545838820642055',
    ],
    [`https://www.youtube.com/watch?vi=${ID}`, YOUTUBE],
    [`https://www.youtube.com/redirect?q=${encodeURIComponent(YOUTUBE)}`, YOUTUBE],
    ['https://business.facebook.com/tea/videos/137/', 'https://www.facebook.com/watch/?v=137'],
    ['https://www.facebook.com/photo/?fbid=137&set=a', 'https://www.facebook.com/watch/?v=137'],
    ['https://www.facebook.com/groups/pots?view=permalink&id=14', 'https://www.facebook.com/groups/pots/posts/14'],
    [
      'https://www.facebook.com/v2.8/plugins/video.php?href=https%3A%2F%2Fwww.facebook.com%2Ftea%2Fvideos%2F137%2F',
      'https://www.facebook.com/watch/?v=137',
    ],
    ['https://www.facebook.com/login/?next=%2Freel%2F137', 'https://www.facebook.com/reel/137'],
    ['https://www.instagram.com/accounts/login/?next=%2Freel%2FDPdd_x%2F', 'https://www.instagram.com/reel/DPdd_x/'],
    [
      'https://t.tiktok.com/i18n/share/video/7483545838820642055/',
      'https://www.tiktok.com/@_/video/7483545838820642055',
    ],
    ['https://x.com/#!/tea/status/20', 'https://x.com/tea/status/20'],
  ] as const)
    it(`${input} is ${canonical}`, () => {
      expect(parseVideoUrl(input)).to.include({ accepted: true, canonical })
    })

  for (const canonical of ['https://lite.tiktok.com/t/ZSFabc/', 'https://pic.x.com/aBc123'])
    it(`${canonical} is a short link`, () => {
      expect(parseVideoUrl(canonical)).to.include({ kind: 'short', canonical })
    })

  for (const url of [
    'https://scontent-fra3-1.cdninstagram.com/o1/v/t16/f2/m86/AQM?efg=eyJ2&oh=00_A',
    'https://video.xx.fbcdn.net/o1/v/t2/f2/m69/AQM.mp4?strext=1&oh=00_A',
    'https://v16-webapp-prime.us.tiktok.com/video/tos/useast5/tos-1/abc/?a=1988',
    'https://www.tiktok.com/aweme/v1/play/?faid=1988&file_id=8b1&signaturev3=dm',
    'https://v19.tiktokcdn.com/1/video/tos/abc/?a=1',
    'https://rr3---sn-4g5ednsl.googlevideo.com/videoplayback?expire=1&sig=a%2Fb',
    'https://video.twimg.com/ext_tw_video/1/pu/vid/720x1280/a.mp4?tag=12',
    'https://lookaside.instagram.com/seo/google_widget/crawler/?media_id=1',
  ])
    it(`${url} is a file, byte for byte`, () => {
      expect(parseVideoUrl(url)).to.include({ kind: 'direct', canonical: url })
    })

  for (const [url, platform, reason] of [
    ['https://help.instagram.com/123', 'instagram', 'is a help page of Instagram, not a video'],
    ['https://support.tiktok.com/en', 'tiktok', 'is a help page of TikTok, not a video'],
    ['https://ads.tiktok.com/', 'tiktok', 'is a page for businesses of TikTok, not a video'],
    ['https://developers.facebook.com/docs/', 'facebook', 'is a page for developers of Facebook, not a video'],
    ['https://www.facebook.com/login/?next=%2Fhome', 'facebook', 'is a sign-in page of Facebook, not a video'],
    ['https://pro.x.com/', 'x', 'is a page (pro.x.com) of X, not a video'],
    ['https://www.youtube.com/playlist?list=PLx0', 'youtube', 'is a playlist of YouTube, not a video'],
    ['https://www.youtube.com/@tea/videos', 'youtube', 'is a channel of YouTube, not a video'],
    ['https://www.youtube.com/channel/UCa', 'youtube', 'is a channel of YouTube, not a video'],
    ['https://www.tiktok.com/@tea/live', 'tiktok', 'is a broadcast of TikTok, not a video'],
    ['https://x.com/jack', 'x', 'is a profile of X, not a video'],
  ] as const)
    it(`${url} ${reason}`, () => {
      expect(parseVideoUrl(url)).to.deep.equal({
        accepted: false,
        kind: 'unsupported',
        platform,
        id: null,
        canonical: null,
        reason,
      })
    })
})

describe('known video sites that we do not read', () => {
  for (const [url, site] of [
    ['https://vimeo.com/76979871', 'Vimeo'],
    ['https://www.dailymotion.com/video/x8abc', 'Dailymotion'],
    ['https://m.twitch.tv/videos/1', 'Twitch'],
  ] as const)
    it(`${url} is refused, with what to send instead`, () => {
      const parsed = parseVideoUrl(url)
      expect(parsed).to.include({ accepted: false, kind: 'unsupported', platform: null })
      const reason = `is a page of ${site}, which is not supported: send a video of YouTube, TikTok, Instagram, X or Facebook, or a direct media file`
      expect(parsed).to.include({ reason })
    })

  for (const url of [
    'https://player.vimeo.com/external/1.hd.mp4?s=a&profile_id=175',
    'https://v.redd.it/abc/DASH_720.mp4',
    'https://clips-media-assets2.twitch.tv/AT-1.mp4',
    'https://cdn.dailymotion.example/a.mp4',
  ])
    it(`${url} is a file`, () => expect(parseVideoUrl(url)).to.include({ kind: 'direct', canonical: url }))
})
