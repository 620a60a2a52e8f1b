import { expect } from 'chai'
import { parseVideoUrl } from '#packages/platforms/urls/parse-video-url.ts'
import { cuesOf, filmNames, heardIn, secondsOf } from './films.ts'
import { everyVideo } from './sandbox-platforms.ts'

describe('the catalogue of the sandbox', () => {
  it('has each video under the canonical URL of its platform', () => {
    for (const { platform, id, url } of everyVideo) {
      const { canonical, ...parsed } = parseVideoUrl(url) as { canonical: string; platform: string; id: string }
      expect([parsed.platform, parsed.id, canonical], url).to.deep.equal([platform, id, url])
    }
  })

  it('has each video once, published in the past', () => {
    expect(new Set(everyVideo.map(({ platform, id }) => `${platform} ${id}`)).size).to.equal(everyVideo.length)
    for (const { published, id } of everyVideo) expect(Date.parse(published), id).to.be.lessThan(Date.now())
  })

  it('has no speech after the end of a film, and only one line at a time', () => {
    for (const film of filmNames)
      for (const cues of [cuesOf(film, 'en'), cuesOf(film, 'de'), heardIn(film)])
        for (const [index, { start, end }] of cues.entries()) {
          expect(start).to.be.lessThan(end)
          expect(end).to.be.lessThan(cues[index + 1]?.start ?? secondsOf(film))
        }
  })
})
