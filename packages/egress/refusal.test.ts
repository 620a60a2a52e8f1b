import { expect } from 'chai'
import { hostileNames, inwardAnswers, PUBLIC } from './hostile.fixture.ts'
import { isPublicAddress } from './public-address.ts'
import { refusalOf } from './refusal.ts'

describe('refusalOf', () => {
  for (const url of [
    ...hostileNames.map((name) => `http://${name}/a.mp4`),
    'http://[::ffff:10.0.0.1]/a.mp4',
    'http://localhost./a.mp4',
    'http://LOCALHOST/a.mp4',
    'http://git.CORP/',
    'http://nas.home.arpa/',
    'http://home.arpa./',
    'http://box.localdomain/',
    'http://wiki.intranet/',
    'http://tv.home/',
    'http://DB.Test./',
    'http://facebookcorewwwi.onion/',
    'http://a.invalid/',
    'http://a.alt/',
    'http://1.0.0.127.in-addr.arpa/',
    'http://a..b.com/',
    'http://.example.com/',
    'http://example.com../',
    'http://.../',
    'http://./',
    'http://cdn.example.com:22/a.mp4',
    'http://cdn.example.com:443/a.mp4',
    'http://user:pw@cdn.example.com/a.mp4',
    'http://user@cdn.example.com/a.mp4',
    'ftp://cdn.example.com/a.mp4',
    'file:///etc/passwd',
  ]) {
    it(`refuses ${url}`, () => expect(refusalOf(new URL(url))).to.be.a('string'))
  }

  for (const url of [
    'http://cdn.example.com/a.mp4',
    'https://cdn.example.com:443/a',
    'http://cdn.example.com:80/a',
    'http://cdn.example.com./a',
    'http://corp.example.com/a',
    'http://athome.example/a',
    'http://test.example.com/a',
    'http://contest.example/a',
    'http://example.xn--mgbab2bd/a',
  ]) {
    it(`allows a lookup of ${url}`, () => expect(refusalOf(new URL(url))).to.equal(undefined))
  }
})

describe('isPublicAddress', () => {
  for (const address of [
    ...Object.values(inwardAnswers).flatMap((answers) => answers.filter((address) => address !== PUBLIC)),
    '172.16.0.1',
    '255.255.255.255',
    '::',
    '::ffff:168.63.129.16',
    'fc00::1',
    // IPv4-compatible
    '::10.0.0.1',
    // ISATAP
    '2001:4860::5efe:7f00:1',
    '2001:4860::200:5efe:10.0.0.1',
    '2001:4860::300:5efe:a00:1',
    // not allocated for the internet
    '1fff:ffff::1',
    '8000::1',
    'e000::1',
    // NAT64 of a site, translated addresses, segment routing, documentation
    '64:ff9b:1::a00:1',
    '::ffff:0:7f00:1',
    '5f00::1',
    '3fff::1',
    'not an address',
  ]) {
    it(`is false for ${address}`, () => expect(isPublicAddress(address)).to.equal(false))
  }
  for (const address of ['93.184.216.34', '2606:2800:220:1::1', '3ffe::1', '2a00:1450::5efe', '::ffff:93.184.216.34']) {
    it(`is true for ${address}`, () => expect(isPublicAddress(address)).to.equal(true))
  }
})
