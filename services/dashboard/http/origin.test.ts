import { expect } from 'chai'
import { baseUrlOf, isOurOwn, keepsSessions } from './origin.ts'

const site = (value: string) => ({ host: 'video.example.com', 'sec-fetch-site': value })

describe('the origin of a form', () => {
  it('is ours where the browser says so, and nowhere else', () => {
    expect(isOurOwn(site('same-origin'), undefined)).to.equal(true)
    for (const other of ['same-site', 'cross-site', 'none', '', 'same-origin, cross-site'])
      expect(isOurOwn(site(other), undefined), other).to.equal(false)
  })

  it('of an older browser is the one that it names', () => {
    const host = 'video.example.com'
    expect(isOurOwn({ host, origin: 'http://video.example.com' }, undefined)).to.equal(true)
    expect(
      isOurOwn({ host: 'inner:8080', origin: 'https://video.example.com' }, 'https://video.example.com/x'),
    ).to.equal(true)
    for (const origin of [
      'null',
      'https://video.example.com',
      'http://evil.example.com',
      'http://video.example.com.evil',
      '',
    ])
      expect(isOurOwn({ host, origin }, undefined), origin).to.equal(false)
    expect(isOurOwn({ host }, undefined)).to.equal(false)
  })

  it('and the base of addresses are those of PUBLIC_URL behind a proxy', () => {
    expect(baseUrlOf({ host: 'inner:8080' }, 'https://video.example.com')).to.equal('https://video.example.com')
    expect(baseUrlOf({ host: 'localhost:8080' }, undefined)).to.equal('http://localhost:8080')
  })
})

describe('a session cookie', () => {
  it('is kept over TLS and on this machine only', () => {
    for (const url of [
      'https://video.example.com',
      'http://localhost:8080',
      'http://127.0.0.1:8080',
      'http://[::1]:8080',
    ])
      expect(keepsSessions(url), url).to.equal(true)
    for (const url of ['http://video.example.com', 'http://192.168.1.7:8080', 'http://localhost.evil.example'])
      expect(keepsSessions(url), url).to.equal(false)
  })
})
