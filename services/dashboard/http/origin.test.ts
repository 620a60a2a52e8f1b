import { expect } from 'chai'
import { baseUrlOf, isOurOwn, keepsSessions } from './origin.ts'

const site = (value: string) => ({ host: 'localhost:8080', 'sec-fetch-site': value })

describe('the origin of a form', () => {
  it('is ours only if the browser says so', () => {
    expect(isOurOwn(site('same-origin'), undefined)).to.equal(true)
    for (const other of ['same-site', 'cross-site', 'none', '', 'same-origin, cross-site'])
      expect(isOurOwn(site(other), undefined), other).to.equal(false)
  })

  it('is the one that an older browser names', () => {
    const host = 'localhost:8080'
    expect(isOurOwn({ host, origin: 'http://localhost:8080' }, undefined)).to.equal(true)
    expect(
      isOurOwn({ host: 'inner:8080', origin: 'https://video.example.com' }, 'https://video.example.com/x'),
    ).to.equal(true)
    for (const origin of [
      'null',
      'https://localhost:8080',
      'http://evil.example.com',
      'http://localhost:8080.evil',
      '',
    ])
      expect(isOurOwn({ host, origin }, undefined), origin).to.equal(false)
    expect(isOurOwn({ host }, undefined)).to.equal(false)
  })

  it('is foreign if a stranger’s name points at this machine, though the browser sees one origin', () => {
    const headers = { 'sec-fetch-site': 'same-origin', origin: 'http://evil.example:8080' }
    for (const host of ['evil.example:8080', 'localhost.evil.example', '[', ''])
      expect(isOurOwn({ ...headers, host }, undefined), host).to.equal(false)
    expect(isOurOwn({ ...headers, host: 'video.example.com' }, 'https://video.example.com')).to.equal(true)
  })

  it('comes from PUBLIC_URL behind a proxy, as does the base of addresses', () => {
    expect(baseUrlOf({ host: 'inner:8080' }, 'https://video.example.com')).to.equal('https://video.example.com')
    expect(baseUrlOf({ host: 'localhost:8080' }, undefined)).to.equal('http://localhost:8080')
  })
})

describe('a session cookie', () => {
  it('is kept only over TLS or on this machine', () => {
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
