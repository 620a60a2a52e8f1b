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
  ] as const) {
    it(`${url} is a short link of ${platform}`, () => {
      expect(parseVideoUrl(url)).to.include({ kind: 'short', platform, canonical })
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
