import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { python } from '#test/doubles/python.ts'
import { leaveOut } from '#test/runner/left-out.ts'
import { platformNamed, type SocialPlatform } from '../registry.ts'
import { allowed } from '../ytdlp/create-reader.ts'
import { parseVideoUrl } from './parse-video-url.ts'

/** Test URLs of yt-dlp that we refuse or take for files, and why. */
const notOurs: [RegExp, why: string][] = [
  [/^(?!https?:\/\/)/, 'no http(s) URL: bare ids, and names that only yt-dlp knows'],
  [/\/\/(?:vid\.plus|zwearz\.com|invidio\.us|redirect\.invidious\.io)\//, 'a site of somebody else that shows YouTube'],
  [/\.onion\//, 'reached through Tor only'],
  [/\/\/www\.douyin\.com\//, 'a platform of its own'],
  [
    /\/\/(?:\w+\.)?youtube(?:kids)?\.com(?:$|\/(?!watch|clip|shorts|embed\/(?!live_stream|videoseries)|live|v\/|e\/|attribution_link|m\?))/,
    'a channel, a list, a feed or a search, or whatever is live there now',
  ],
  [/youtube\.com\/watch\?(?!.*\bv=[\w-]{11})/, 'a link that was cut off'],
  [/tiktok\.com\/(?:tag|music|sticker)\/|\/collection\//, 'a list of videos'],
  [/tiktok\.com\/@[^/]+$/, 'a profile'],
  [/tiktok\.com\/(?:@[^/]+|share)\/live\b/, 'a room in which somebody may be live'],
  [/instagram\.com\/(?:stories|explore)\//, 'stories need an account, and a hashtag is a list'],
  [/instagram\.com\/[^/]+$/, 'a profile'],
  [/\/i\/(?:broadcasts|events|spaces)\//, 'a broadcast or an event of X, which is no post'],
  [/\/\/amp\.twimg\.com\//, "a player of old advertisements, without the post's id"],
  [/facebook\.com\/ads\/library\//, 'an advertisement in all its versions'],
  [/facebook\.com\/events\//, 'an event, which may have a video as its picture'],
]

/** yt-dlp's extractors of single videos. All others read lists, or only lead on. */
const ofVideos = ['youtube', 'TikTok', 'Instagram', 'twitter', 'facebook', 'facebook:reel']

/**
 * URLs for which yt-dlp's test names another id than ours, or none. For a playlist it names the list's; a redirect page
 * has none.
 */
const namesAnother = /[?&]list=|\/flx\/warn\//

type YtdlpTest = { url: string; ids: string[] }
type Answer = { tests: YtdlpTest[]; readings: ({ extractor: string; id: string | null } | null)[] }

async function askYtdlp(urls: readonly string[]): Promise<Answer> {
  const running = promisify(execFile)(python, [join(import.meta.dirname, 'ytdlp_urls.py')], { maxBuffer: 16_000_000 })
  running.child.stdin?.end(JSON.stringify({ allowed: allowed.extractors, urls }))
  return JSON.parse((await running).stdout)
}

const isOurs = (url: string): boolean => {
  const { accepted, platform } = parseVideoUrl(url)
  return accepted && platform !== 'direct'
}

function withYtdlp(body: () => void): void {
  if (existsSync(python)) body()
  else leaveOut({ needs: 'yt-dlp', why: 'its Python environment, .venv, is absent: ops/setup makes it' }, body)
}

withYtdlp(() =>
  describe('the URLs with which yt-dlp tests its five extractors', () => {
    let tests: YtdlpTest[]
    before(async () => {
      tests = (await askYtdlp([])).tests
    })

    it('are accepted if they name one video; a short list says why each of the others is not', () => {
      expect(tests.length).to.be.above(300)
      const unexplained = tests.filter(({ url }) => isOurs(url) === notOurs.some(([pattern]) => pattern.test(url)))
      expect(unexplained.map(({ url }) => url)).to.deep.equal([])
    })

    it('need every line of that list', () => {
      const unused = notOurs.filter(([pattern]) => !tests.some(({ url }) => pattern.test(url)))
      expect(unused.map(([, why]) => why)).to.deep.equal([])
    })

    it('have a canonical URL that yt-dlp reads as the same video', async () => {
      const found = tests.flatMap(({ url, ids }) => {
        const parsed = parseVideoUrl(url)
        return parsed.kind === 'video' || parsed.kind === 'photo' ? [{ url, ids, ...parsed }] : []
      })
      const { readings } = await askYtdlp(found.map(({ canonical }) => canonical))
      expect(found.length).to.be.above(150)
      for (const [index, { url, ids, platform, id, canonical }] of found.entries()) {
        expect(canonical, url).to.match(pagesOf(platform))
        expect(readings[index]?.extractor, canonical).to.be.oneOf(ofVideos)
        expect(readings[index]?.id, canonical).to.equal(id)
        expect(ids.some((one) => one.includes(id)) || namesAnother.test(url), url).to.equal(true)
      }
    })
  }),
)

const pagesOf = (platform: SocialPlatform): RegExp => new RegExp(`^(?:${platformNamed(platform).ytdlp.pages.source})$`)
