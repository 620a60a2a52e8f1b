import { expect } from 'chai'
import { usernameOf } from './username-of.ts'

describe('the username in a request for a profile', () => {
  const accepted = [
    ['tiktok', { username: '@IlloJuan' }, 'illojuan'],
    ['tiktok', { username: ' illojuan ' }, 'illojuan'],
    ['tiktok', { url: 'https://www.tiktok.com/@illojuan?lang=en' }, 'illojuan'],
    ['instagram', { username: 'a.b_1' }, 'a.b_1'],
    ['instagram', { url: 'instagram.com/google/' }, 'google'],
    ['instagram', { username: 'google', url: 'https://www.instagram.com/google' }, 'google'],
  ] as const
  for (const [platform, asked, username] of accepted) {
    it(`is ${username} on ${platform} for ${JSON.stringify(asked)}`, () => {
      expect(usernameOf(platform, asked)).to.deep.equal({ username })
    })
  }

  const refused = [
    ['tiktok', {}, 'username'],
    ['tiktok', { username: '' }, 'username'],
    ['tiktok', { username: 'a b' }, 'username'],
    ['tiktok', { username: '@@ann' }, 'username'],
    ['tiktok', { username: 'ann.' }, 'username'],
    ['tiktok', { username: 'a'.repeat(25) }, 'username'],
    ['tiktok', { username: 'ann/video/1' }, 'username'],
    ['tiktok', { url: 'https://www.instagram.com/google/' }, 'url'],
    ['tiktok', { url: 'https://www.tiktok.com/@ann/video/7093219663211053829' }, 'url'],
    ['tiktok', { url: 'https://nottiktok.com/@ann' }, 'url'],
    ['tiktok', { url: 'http://127.0.0.1/@ann' }, 'url'],
    ['tiktok', { username: 'ann', url: 'https://www.tiktok.com/@bob' }, 'url'],
    ['instagram', { username: 'explore' }, 'username'],
    ['instagram', { username: 'a..b' }, 'username'],
    ['instagram', { url: 'https://www.instagram.com/p/DEiyb48AeB9/' }, 'url'],
  ] as const
  for (const [platform, asked, path] of refused) {
    it(`is refused on ${platform} for ${JSON.stringify(asked)}`, () => {
      expect(usernameOf(platform, asked)).to.include({ path })
    })
  }
})
