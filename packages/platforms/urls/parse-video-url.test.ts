import { expect } from 'chai'
import { describeRecorded, specifiedUrls } from '#test/doubles/recordings.ts'
import { type UrlCase, urlCases } from '#test/doubles/url-cases.ts'
import { parseVideoUrl } from './parse-video-url.ts'

function itMakes({ input, platform, id, canonical, kind }: UrlCase): void {
  it(`${kind}: ${JSON.stringify(input)}`, () => {
    const parsed = parseVideoUrl(input)
    const ours = { platform: parsed.platform === 'direct' ? null : parsed.platform, id: parsed.id, kind: parsed.kind }
    expect({ ...ours, canonical: parsed.canonical }).to.deep.equal({ platform, id, kind, canonical })
    expect(parsed.accepted).to.equal(['video', 'photo', 'short', 'direct'].includes(kind))
  })
}

describe('the classes of URLs', () => {
  it('are many', () => expect(urlCases.length).to.be.above(60))
  for (const one of urlCases) itMakes(one)
})

describeRecorded('the URL cases of the specification', () => {
  const cases = specifiedUrls() ?? []
  it('are many', () => expect(cases.length).to.be.above(60))
  for (const one of cases) itMakes(one)
})

describe('parseVideoUrl', () => {
  for (const url of [
    'http://cdn.example.com/signed?token=a%2Fb&expires=1',
    'http://cdn.example.com/page.html',
    'http://cdn.example.com/v/again.mp4',
    'https://instagram.fbom3-1.fna.fbcdn.net/o1/v/t16/f2/m86/AQM.mp4?efg=eyJ2&_nc_ht=instagram.fbom3-1.fna.fbcdn.net',
    'https://scontent.cdninstagram.com/v/t50.2886-16/10.mp4?oh=00_A&oe=6',
    'https://v16-webapp-prime.tiktok.com/video/tos/useast2a/tos-1/abc/?a=1988&br=1',
    'https://dl.dropbox.com/s/abc/clip.mp4?dl=1',
    'https://xn--mnchen-3ya.example/clip.mp4',
  ]) {
    it(`reads ${url} as a direct file, byte for byte`, () => {
      expect(parseVideoUrl(url)).to.include({ kind: 'direct', platform: 'direct', canonical: url })
    })
  }

  for (const [url, platform, canonical] of [
    ['https://fb.watch/abc123/?mibextid=x', 'facebook', 'https://fb.watch/abc123/'],
    ['https://t.co/AbC123', 'x', 'https://t.co/AbC123'],
    ['https://vm.tiktok.com/ZM123/', 'tiktok', 'https://vm.tiktok.com/ZM123/'],
    ['https://www.tiktok.com/t/ZT123/', 'tiktok', 'https://www.tiktok.com/t/ZT123/'],
    [
      'https://m.youtube.com/clip/UgytZKpehg-hEMBSn3F4AaABCQ?si=a',
      'youtube',
      'https://www.youtube.com/clip/UgytZKpehg-hEMBSn3F4AaABCQ',
    ],
    ['https://l.instagram.com/?u=https%3A%2F%2Ft.co%2FAbC123&e=x', 'x', 'https://t.co/AbC123'],
  ] as const) {
    it(`${url} is a short link of ${platform}`, () => {
      expect(parseVideoUrl(url)).to.include({ kind: 'short', platform, canonical })
    })
  }

  const wrapped = (inner: string, times = 1): string =>
    times === 0 ? inner : wrapped(`https://l.facebook.com/l.php?u=${encodeURIComponent(inner)}`, times - 1)

  for (const [page, canonical] of [
    [wrapped('https://youtu.be/dQw4w9WgXcQ?fbclid=x'), 'https://www.youtube.com/watch?v=dQw4w9WgXcQ'],
    [
      'https://www.facebook.com/flx/warn/?h=TAQ&u=https%3A%2F%2Fx.com%2Fa%2Fstatus%2F20&s=1',
      'https://x.com/a/status/20',
    ],
    [
      `https://l.instagram.com/?u=${encodeURIComponent(wrapped('https://m.facebook.com/reel/11'))}&e=x`,
      'https://www.facebook.com/reel/11',
    ],
    [wrapped('https://cdn.example.com/a.mp4?b=c%2Fd'), 'https://cdn.example.com/a.mp4?b=c%2Fd'],
    [wrapped('https://fb.watch/abc/', 3), 'https://fb.watch/abc/'],
  ] as const) {
    it(`judges the URL in ${page.slice(0, 60)} as if it had been sent itself`, () => {
      const inner = parseVideoUrl(canonical)
      expect(inner.accepted).to.equal(true)
      expect(parseVideoUrl(page)).to.deep.equal(inner)
    })
  }

  for (const [page, kind, reason] of [
    [wrapped('https://www.tiktok.com/@cook'), 'profile', /^leads to a URL that is a profile on TikTok/],
    [wrapped('http://169.254.169.254/latest/meta-data/'), 'hostile', /^leads to a URL that .*not an address/],
    [wrapped('https://user:pw@cdn.example.com/a.mp4'), 'hostile', /user name or password/],
    [wrapped('https://www.youtube.com.evil.example/watch?v=dQw4w9WgXcQ'), 'hostile', /only begins like/],
    [wrapped('javascript:alert(1)'), 'hostile', /must begin with http/],
    [wrapped('//youtu.be/dQw4w9WgXcQ'), 'hostile', /must begin with http/],
    [
      wrapped('https://youtu.be/dQw4w9WgXcQ', 4),
      'hostile',
      /^leads to a URL that leads to one redirect page after another$/,
    ],
    ['https://l.facebook.com/l.php?h=AT0', 'unsupported', /not the URL of a video on Facebook/],
    ['https://l.instagram.com/', 'unsupported', /not the URL of a video on Instagram/],
    [`https://evil.example/?u=${wrapped('https://youtu.be/dQw4w9WgXcQ')}`, 'hostile', /leads to another URL/],
  ] as const) {
    it(`refuses ${page.slice(0, 90)} as ${kind}`, () => {
      const parsed = parseVideoUrl(page)
      expect(parsed).to.include({ accepted: false, kind })
      expect(parsed).to.have.property('reason').that.matches(reason)
    })
  }

  for (const input of [
    'not a url',
    'ytsearch5:cats',
    '--exec id',
    'data:video/mp4;base64,AAAA',
    'http://',
    'cdn.example.com/a.mp4',
    'localhost/a.mp4',
    'https://www.youtube.com/watch?v=short',
    'https://www.youtube.com:8443/watch?v=dQw4w9WgXcQ',
    'https://www.instagram.com.evil.example/p/DF5s0duxDts/',
    'https://xn--outube-9wf.com/clip.mp4',
    'https://www.google.com/url?q=https://youtu.be/dQw4w9WgXcQ',
    'https://cdn.example.com/a\n.mp4',
    `https://cdn.example.com/${'a'.repeat(2100)}`,
    `https://cdn.example.com/${'ü'.repeat(1000)}`,
    'https://x.com/i/status/not-a-number',
    'https://www.youtube.com/attribution_link?u=https%3A%2F%2Fevil.example%2Fwatch%3Fv%3DdQw4w9WgXcQ',
    'https://www.facebook.com/plugins/video.php?href=https%3A%2F%2Fevil.example%2Fa%2Fvideos%2F1%2F',
    'https://www.facebook.com/teakettle/posts/how-it-sings',
    'https://www.facebook.com/groups/teapots/posts/',
    'https://www.facebook.com/tea%2Fpot/posts/1400123456789012',
    'https://www.facebook.com/video/embed?video_id=first',
    'https://www.instagram.com/reels/audio/1234567890123456/',
    'https://www.instagram.com/reel/audio/',
    'https://www.youtube.com/clip/',
    'https://www.youtube.com/embed/live_stream?channel=UC2_KI6RB__jGdlnK6dvFEZA',
    'https://www.youtube.com/embed/videoseries?list=PLx0sYbCqOb8TBPRdmBHs5Iftvv9TPboYG',
    'https://www.youtubekids.com/channel/UCmlqkdCBesrv2Lak1mF_MxA',
    'https://www.tiktok.com/@MS4wLjABAAAAv7iSuuXDJGDvJkmH_vz1qkDZYo1apxgzaxdBSeIuPiM',
  ]) {
    it(`refuses ${JSON.stringify(input).slice(0, 80)} with a reason`, () => {
      const parsed = parseVideoUrl(input)
      expect(parsed.accepted).to.equal(false)
      expect(parsed).to.have.property('reason').a('string').not.empty
    })
  }

  it('drops the fragment and surrounding spaces', () => {
    expect(parseVideoUrl(' http://cdn.example.com/a.mp4#t=10 \n').canonical).to.equal('http://cdn.example.com/a.mp4')
  })
})
