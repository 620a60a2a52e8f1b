import { expect } from 'chai'
import { cachedUrls } from './cached-urls.ts'
import { parseVideoUrl } from './parse-video-url.ts'

describe('cached URLs', () => {
  it('lead to the same result as a fresh judgement, accepted or refused', () => {
    const parse = cachedUrls()
    for (const url of ['https://youtu.be/jNQXAC9IVRw', 'https://www.youtube.com/@jawed', 'http://127.0.0.1/a.mp4', ''])
      for (let time = 0; time < 2; time++) expect(parse(url)).to.deep.equal(parseVideoUrl(url))
  })
})
