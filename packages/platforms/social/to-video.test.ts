import { expect } from 'chai'
import type { VideoInfo } from '../ytdlp/info.ts'
import { toVideo } from './to-video.ts'

const nothing = { formats: [], captions: [] } as unknown as VideoInfo

describe('toVideo', () => {
  const titleOf = (info: Partial<VideoInfo>) =>
    toVideo('youtube', 'https://www.youtube.com/watch?v=abcdefghijk', { ...nothing, ...info }).metadata.title

  it('takes the time away that yt-dlp puts behind the title of a broadcast, and no other', () => {
    const title = 'Reading live 2026-11-21 08:38'
    expect(titleOf({ title, liveStatus: 'is_live' })).to.equal('Reading live')
    expect(titleOf({ title, liveStatus: 'was_live' })).to.equal(title)
  })
})
