import { expect } from 'chai'
import type { ServiceError } from '#packages/foundation/errors/service-error.ts'
import { type SourceLookups, sourceReader } from './read-source.ts'
import { parseSource } from './source.ts'

const problemOf = (body: unknown): unknown => {
  try {
    return parseSource(body)
  } catch (error) {
    return ((error as ServiceError).details as { path: string }[] | undefined)?.map(({ path }) => path)
  }
}

describe('a source', () => {
  it('is the same in any spelling, and its canonical form is accepted again', () => {
    const channel = { type: 'channel', url: 'https://www.youtube.com/@sandboxrich', list: 'videos' }
    expect(parseSource({ type: 'channel', handle: '@SandboxRich' })).to.deep.equal(channel)
    expect(parseSource({ type: 'channel', url: 'youtube.com/@sandboxrich/videos', handle: null })).to.deep.equal(
      channel,
    )
    expect(parseSource(channel)).to.deep.equal(channel)
    const playlist = { type: 'playlist', url: 'https://www.youtube.com/playlist?list=PLabcdefghijk' }
    expect(parseSource({ type: 'playlist', id: 'PLabcdefghijk' })).to.deep.equal(playlist)
    expect(parseSource(playlist)).to.deep.equal(playlist)
    const profile = { type: 'profile', platform: 'tiktok', username: 'someone' }
    expect(parseSource({ ...profile, username: '@Someone' })).to.deep.equal(profile)
    expect(parseSource({ type: 'search', q: 'news' })).to.deep.equal({ type: 'search', q: 'news', platform: null })
  })

  const wrong: [string, unknown, string][] = [
    ['no object', 'youtube.com/@name', 'source'],
    ['no type', {}, 'source.type'],
    ['a channel without a name', { type: 'channel' }, 'source.url'],
    ['two names', { type: 'channel', id: 'UC', handle: 'name' }, 'source.id'],
    ['a video as a channel', { type: 'channel', url: 'https://youtu.be/dQw4w9WgXcQ' }, 'source.url'],
    ['a profile of a platform without profiles', { type: 'profile', platform: 'x', username: 'a' }, 'source.platform'],
    ['a search for nothing', { type: 'search' }, 'source.q'],
    ['a number as a text', { type: 'search', q: 5 }, 'source.q'],
  ]
  for (const [what, body, path] of wrong)
    it(`is refused by the name of its field: ${what}`, () => {
      expect(problemOf(body)).to.deep.equal([path])
    })

  it('gives a page with ids, canonical URLs and dates, without videos that cannot become jobs', async () => {
    const videos = [
      { url: 'https://youtu.be/dQw4w9WgXcQ', title: 'One', createdAt: null },
      { url: 'https://www.youtube.com/@someone', title: 'No video', createdAt: null },
      { url: 'https://youtu.be/aaaaaaaaaaa', title: null, createdAt: '2026-11-01T00:00:00.000Z' },
    ]
    const asked: unknown[] = []
    const lookups = {
      channel: async (_: unknown, question: unknown) => {
        asked.push(question)
        return { videos, nextCursor: 'next' }
      },
    } as unknown as SourceLookups
    const source = parseSource({ type: 'channel', handle: 'name', list: 'shorts' })
    const page = await sourceReader(lookups)(source, 'here', { orgId: 'org', requestId: 'request' })
    expect(page).to.deep.equal({
      items: [
        {
          id: 'youtube:dQw4w9WgXcQ',
          url: 'https://www.youtube.com/watch?v=dQw4w9WgXcQ',
          title: 'One',
          publishedAt: null,
        },
        {
          id: 'youtube:aaaaaaaaaaa',
          url: 'https://www.youtube.com/watch?v=aaaaaaaaaaa',
          title: null,
          publishedAt: Date.UTC(2026, 10, 1),
        },
      ],
      next: 'next',
    })
    const name = { field: 'url', text: 'https://www.youtube.com/@name' }
    expect(asked).to.deep.equal([{ name, type: 'shorts', limit: 100, cursor: 'here' }])
  })
})
