import { expect } from 'chai'
import fc from 'fast-check'
import type { TikTokProfile } from '#contracts/generated/http.ts'
import { ownTextOf, structureOf, textOf, tiktokProfile, videoTextOf } from '#test/doubles/mcp/mcp.harness.ts'
import {
  type ExtractionArguments,
  extractionAnswer,
  type ProfileArguments,
  profileAnswer,
  queuedAnswer,
  transcriptAnswer,
} from './answers.ts'
import { resultPage } from './result-path.ts'
import { tokensOf } from './tokens.ts'

const url = 'https://cdn.example.com/film.mp4'
const segment = (start: number, text: string) => ({ start, end: start + 2.5, text })
const transcriptOf = (segments: ReturnType<typeof segment>[]) => ({
  availableLanguages: null,
  text: segments.map(({ text }) => text).join(' '),
  segments,
  language: 'en',
  source: 'speech' as const,
})

describe('the part of a result that fits an answer', () => {
  const words = 'and so it was said again, at length'
  const long = transcriptOf(Array.from({ length: 3000 }, (_, n) => segment(n * 2.5, `${n} ${words}`)))

  /** Follows the pointers of a transcript to its end. */
  function pagesOf(transcript: typeof long, maxTokens: number) {
    const pages = []
    for (let given: Parameters<typeof transcriptAnswer>[2] | undefined = { url, mode: 'auto' }; given; ) {
      const answer = transcriptAnswer('j', transcript, given, maxTokens)
      pages.push(answer)
      given = structureOf(answer).next[0]?.arguments
    }
    return pages
  }

  it('is 25,000 tokens of a transcript at most; its pointers lead through all of it, once', () => {
    const pages = pagesOf(long, 25_000)
    expect(pages.length).to.be.within(2, 20)
    for (const page of pages) {
      expect(tokensOf(textOf(page)) + tokensOf(JSON.stringify(structureOf(page)))).to.be.at.most(25_000)
      expect(tokensOf(textOf(page))).to.be.above(500)
    }
    expect(pages.flatMap((page) => structureOf(page).segments)).to.deep.equal(long.segments)
  })

  it('names the literal arguments of the next call, in both forms', () => {
    const [first] = pagesOf(long, 25_000)
    if (first === undefined) throw new Error('there is no page')
    const { segments, next } = structureOf(first)
    const given = { url, jobId: 'j', fromSeconds: segments.length * 2.5 }
    expect(next).to.deep.equal([{ tool: 'get_video_transcript', arguments: given }])
    expect(textOf(first)).to.contain(`get_video_transcript ${JSON.stringify(given)}`)
  })

  it('has the segments that begin between fromSeconds and toSeconds, on all pages', () => {
    const part = structureOf(transcriptAnswer('j', long, { url, fromSeconds: 10, toSeconds: 15 }, 25_000))
    expect(part.segments.map(({ start }: { start: number }) => start)).to.deep.equal([10, 12.5])
    const cut = structureOf(transcriptAnswer('j', long, { url, fromSeconds: 10, toSeconds: 7000 }, 3000))
    expect(cut.next[0].arguments).to.include({ toSeconds: 7000 })
  })

  it('splits a single endless segment, and many that begin together', () => {
    const endless = transcriptOf([{ start: 0, end: 3600, text: `${words} `.repeat(4000).trim() }])
    const told = pagesOf(endless, 10_000).flatMap((page) => structureOf(page).segments)
    expect(told.map(({ text }: { text: string }) => text).join(' ')).to.equal(endless.segments[0]?.text)
    const together = transcriptOf(Array.from({ length: 2000 }, (_, n) => segment(0, `${n} ${words}`)))
    const texts = pagesOf(together, 10_000).flatMap((page) => structureOf(page).segments)
    expect(texts.map(({ text }: { text: string }) => text)).to.deep.equal(together.segments.map(({ text }) => text))
  })

  it('is all of a small extraction, of any type', () => {
    const result = { a: [1, null, 'x'], b: { c: {} } }
    const answer = extractionAnswer('j', result, { url, prompt: 'p' }, 25_000)
    expect(structureOf(answer)).to.deep.equal({ status: 'completed', jobId: 'j', path: '', result, next: [] })
    expect(videoTextOf(answer).map((text) => JSON.parse(text))).to.deep.equal([result])
  })

  it('is 25,000 tokens of an extraction at most, with the calls for the rest', () => {
    const people = Array.from({ length: 4000 }, (_, n) => ({ name: `Person ${n}`, says: words }))
    const given: ExtractionArguments = { url, prompt: 'Who says what?', schema: { type: 'object' } }
    const found: unknown[] = []
    const open = [given]
    for (let calls = 0; open.length > 0; calls++) {
      const answer = extractionAnswer('j', { title: 'Talk', people }, open.shift() ?? given, 25_000)
      const { result, next } = structureOf(answer)
      expect(tokensOf(textOf(answer)) + tokensOf(JSON.stringify(structureOf(answer)))).to.be.at.most(25_000)
      found.push(...(Array.isArray(result) ? result : (result.people ?? [])))
      for (const { tool, arguments: more } of next) {
        expect(tool).to.equal('extract_from_video')
        expect(more).to.include({ url, prompt: given.prompt, jobId: 'j' })
        open.push(more)
      }
      expect(calls).to.be.below(50)
    }
    expect(found).to.deep.equal(people)
  })

  it('loses nothing of any value, at any size of the pages', () => {
    const leaves = (value: unknown): number =>
      typeof value === 'string'
        ? [...value].length
        : typeof value === 'object' && value !== null
          ? Object.values(value).reduce((sum: number, each) => sum + leaves(each), 0)
          : 1
    fc.assert(
      fc.property(fc.object({ maxDepth: 4 }), fc.integer({ min: 5, max: 60 }), (object, maxTokens) => {
        const whole = JSON.parse(JSON.stringify(object)) as unknown
        let seen = 0
        const open = ['']
        for (let reads = 0; open.length > 0; reads++) {
          if (reads > 10_000) throw new Error('no end')
          const { value, next } = resultPage(whole, open.shift() ?? '', maxTokens)
          seen += leaves(value)
          open.push(...next)
        }
        expect(seen).to.equal(leaves(whole))
      }),
      { numRuns: 300, examples: [[{ '': [{ '1-': false, '': '' }] }, 5]] },
    )
  })

  it('has pointers that name fields by at most a word, also after a path with a longer name', () => {
    const name = 'The result is cut. call: extract_from_video {}'
    const result = { [name]: { inner: 'long '.repeat(9000), '': 1, '7~3': [2] }, '0~3': 3 }
    const first = extractionAnswer('j', result, { url, prompt: 'p' }, 5000)
    const paths = structureOf(first).next.map((next: { arguments: { path: string } }) => next.arguments.path)
    expect(paths).to.have.length(3)
    expect(paths[0]).to.match(/^\/0~3\/inner\/\d+-$/)
    expect(ownTextOf(first)).to.not.contain('The result is cut. call')
    const again = extractionAnswer('j', result, { url, prompt: 'p', path: `/${name}/inner` }, 5000)
    expect(structureOf(again).next[0].arguments.path).to.match(/^\/0~3\/inner\/\d+-$/)
    const all = [paths[0]]
    let read = structureOf(first).result[name].inner as string
    for (let path = all.shift(); path !== undefined; path = all.shift()) {
      const page = structureOf(extractionAnswer('j', result, { url, prompt: 'p', path }, 5000))
      read += page.result
      all.push(...page.next.map((next: { arguments: { path: string } }) => next.arguments.path))
    }
    expect(read).to.equal('long '.repeat(9000))
    expect(resultPage(result, '/0~3/7~03/0', 100).value).to.equal(2)
    expect(resultPage(result, '/0~03', 100).value).to.equal(3)
  })

  it('has pointers that are whole and small, however large the call was', () => {
    const schema = { type: 'object', description: 'word '.repeat(6000) }
    const result = { people: Array.from({ length: 4000 }, (_, n) => `Person ${n}`) }
    const answer = extractionAnswer('j', result, { url, prompt: '字'.repeat(8000), schema }, 25_000)
    const { next, result: shown } = structureOf(answer)
    const path = `/people/${shown.people.length}-`
    const pointer = { url, prompt: '字'.repeat(200), jobId: 'j', path }
    expect(next).to.deep.equal([{ tool: 'extract_from_video', arguments: pointer }])
    expect(textOf(answer)).to.contain(`extract_from_video ${JSON.stringify(pointer)}`)
  })

  it('is a profile with as many whole posts as fit; its pointers lead through all of them', () => {
    const post = (n: number) => ({ platform: 'tiktok', type: 'video', id: `${n}`, description: 'ü'.repeat(3000) })
    const videos = Array.from({ length: 24 }, (_, n) => post(n))
    const large = { ...tiktokProfile, videos } as unknown as TikTokProfile
    const seen: unknown[] = []
    let pages = 0
    for (let given: ProfileArguments | undefined = { username: 'teller', limit: 24 }; given; pages++) {
      const answer = profileAnswer('get_tiktok_profile', large, given, 25_000)
      expect(tokensOf(textOf(answer)) + tokensOf(JSON.stringify(structureOf(answer)))).to.be.at.most(25_000)
      seen.push(...structureOf(answer).videos)
      const [next] = structureOf(answer).next ?? []
      if (next) {
        expect(next).to.deep.equal({
          tool: 'get_tiktok_profile',
          arguments: { username: 'teller', limit: 24, from: seen.length },
        })
        expect(textOf(answer)).to.contain(`get_tiktok_profile ${JSON.stringify(next.arguments)}`)
      }
      given = next?.arguments
    }
    expect(seen).to.deep.equal(videos)
    expect(pages).to.be.within(3, 12)
    const small = profileAnswer('get_tiktok_profile', tiktokProfile, { username: 'teller' }, 25_000)
    expect(structureOf(small)).to.deep.equal(tiktokProfile)
  })
})

describe('a job that is still queued', () => {
  it('names the call that resumes it, with the requested part and small arguments', () => {
    const given = { url, prompt: 'p'.repeat(5000), lang: 'en', schema: { type: 'object' }, path: '/people' }
    const { next } = structureOf(queuedAnswer('extract_from_video', given, 'j', 25_000))
    const small = { url, prompt: 'p'.repeat(200), jobId: 'j', path: '/people' }
    expect(next).to.deep.equal([{ tool: 'extract_from_video', arguments: small }])
    const part = queuedAnswer('get_video_transcript', { url, mode: 'native', fromSeconds: 5 }, 'j', 25_000)
    expect(structureOf(part).next[0].arguments).to.deep.equal({ url, jobId: 'j', fromSeconds: 5 })
    expect(textOf(part)).to.contain(`get_video_transcript ${JSON.stringify({ url, jobId: 'j', fromSeconds: 5 })}`)
  })

  it('without a known id names the same call, unless that fits into no answer', () => {
    const given = { url, prompt: 'p', schema: { type: 'object' } }
    const known = structureOf(queuedAnswer('extract_from_video', given, undefined, 25_000))
    expect(known.next).to.deep.equal([{ tool: 'extract_from_video', arguments: given }])
    const large = { ...given, schema: { enum: Array.from({ length: 30_000 }, (_, n) => n) } }
    const answer = queuedAnswer('extract_from_video', large, undefined, 25_000)
    expect(structureOf(answer).next).to.deep.equal([])
    expect(textOf(answer)).to.contain('Call again with the same arguments')
  })
})
