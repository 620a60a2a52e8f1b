import { expect } from 'chai'
import { videoAt } from './video-at.ts'

describe('a link to an instant of a video', () => {
  it('exists if the platform has such links, or the browser plays the file', () => {
    const links: Record<string, string | undefined> = {
      'https://www.youtube.com/watch?v=nvlHourCh01': 'https://www.youtube.com/watch?v=nvlHourCh01&t=75s',
      'https://cdn.example.com/film.mp4?a=b': 'https://cdn.example.com/film.mp4?a=b#t=75',
      'https://www.tiktok.com/@pageturners/video/7692131808313344001': undefined,
      'https://www.youtube.com/clip/UgkxAbcdefghijk': undefined,
      'javascript:alert(1)': undefined,
    }
    for (const [url, link] of Object.entries(links)) expect(videoAt(url, 75), url).to.equal(link)
  })
})
