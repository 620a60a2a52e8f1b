import { expect } from 'chai'
import { systemClock } from '#packages/adapters/system/clock.ts'
import { systemIds } from '#packages/adapters/system/ids.ts'
import { openMediaCache } from '#packages/content/media/media-cache.ts'
import { scriptedRoute } from '#test/doubles/scripted-route.ts'
import { directoryForEach } from '#test/doubles/temporary-directory.ts'
import { PlatformRefusal } from '../breakers/platform-refusal.ts'
import type { Way } from '../platform-definition.ts'
import { platformNamed } from '../registry.ts'
import { CaptionsWithheld } from '../ytdlp/missing-parts.ts'
import { toInfo } from '../ytdlp/to-info.ts'
import type { Social } from './create-social.ts'
import { socialOver } from './social.fixture.ts'
import type { Video } from './video-source.ts'

const url = 'https://www.youtube.com/watch?v=nvlHourCh01'
const json3 = '{"events":[{"tStartMs":0,"dDurationMs":900,"segs":[{"utf8":"Hello"}]}]}'
const info = toInfo({
  id: 'nvlHourCh01',
  live_status: 'not_live',
  captions: [{ language: 'en', exts: ['json3'] }],
  formats: [{ format_id: '140', ext: 'm4a', protocol: 'https', vcodec: 'none' }],
})

describe('a video with two ways to read it', () => {
  const directory = directoryForEach()
  /** `yt-dlp info`, … in the order of the requests. */
  let asked: string[]
  let failures: Record<string, Error>
  let social: Social

  const open = async (youtubeFirst: Way = 'yt-dlp'): Promise<void> => {
    const does = async <T>(what: string, result: T): Promise<T> => {
      asked.push(what)
      const failure = failures[what]
      if (failure) throw failure
      return result
    }
    const readerOf = (way: Way) => ({
      info: () => does(`${way} info`, info),
      captions: () => does(`${way} captions`, json3),
      media: () => does(`${way} media`, undefined),
    })
    const youtube = { ...platformNamed('youtube'), second: { way: 'innertube', create: () => readerOf('innertube') } }
    const cache = await openMediaCache({ directory: directory.path, clock: systemClock, ids: systemIds })
    const route = scriptedRoute(() => undefined)
    social = socialOver(youtube as ReturnType<typeof platformNamed>, readerOf('yt-dlp'), { route, cache, youtubeFirst })
  }
  beforeEach(async () => {
    asked = []
    failures = {}
    await open()
  })

  const reading = { owner: 'job', organization: 'acme', refusals: 0, signal: new AbortController().signal }
  const wish = { lang: null, strictLang: false, translate: false, words: false }
  const captions = (video: Pick<Video, 'way'> = {}, lang: string | null = null) =>
    social.captions(url, { ...reading, ...wish, lang, video: video as Video })

  it('gets its captions the second way if yt-dlp is refused only those', async () => {
    failures['yt-dlp captions'] = new CaptionsWithheld()
    const reads: object[] = []
    const noted = { ...reading, onRead: (from: object) => void reads.push(from) }
    expect((await social.fetch(url, noted)).way).to.equal('yt-dlp')
    await social.fetch(url, noted)
    expect(reads, 'not where it is cached').to.deep.equal([{ domain: 'youtube.com', exit: 'direct' }])
    expect((await captions())?.way).to.equal('innertube')
    expect(asked).to.deep.equal(['yt-dlp info', 'yt-dlp captions', 'innertube info', 'innertube captions'])
  })

  it('continues with the way that has read it, here or in another process, and both forget it', async () => {
    failures['yt-dlp info'] = new PlatformRefusal()
    expect((await social.fetch(url, reading)).way).to.equal('innertube')
    await social.metadata(url, reading)
    await captions()
    expect(asked).to.deep.equal(['yt-dlp info', 'innertube info', 'innertube captions'])
    social.forget(url)
    asked = []
    await social.metadata(url, reading)
    expect(asked).to.deep.equal(['yt-dlp info', 'innertube info'])
    await open()
    asked = []
    // asks for captions in another language, which are not cached
    await captions({ way: 'innertube' }, 'en')
    expect(asked).to.deep.equal(['innertube info', 'innertube captions'])
  })

  it('gets its media from yt-dlp, which then reads the video itself', async () => {
    await open('innertube')
    await social.fetch(url, reading)
    await social.openMedia(url, { ...reading, want: 'audio', lang: null }).catch(() => undefined)
    expect(asked).to.deep.equal(['innertube info', 'yt-dlp info', 'yt-dlp media'])
  })
})
