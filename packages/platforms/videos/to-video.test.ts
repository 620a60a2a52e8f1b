import { expect } from 'chai'
import type { VideoInfo } from '../ytdlp/info.ts'
import { titleOfInfo } from './title-of-info.ts'

describe('the title of a video', () => {
  const titleOf = ({ title = null, liveStatus = null }: Partial<VideoInfo>) => titleOfInfo({ title, liveStatus })

  it('loses the time that yt-dlp appends to the title of a broadcast, and no other', () => {
    const title = 'Reading live 2026-11-21 08:38'
    expect(titleOf({ title, liveStatus: 'is_live' })).to.equal('Reading live')
    expect(titleOf({ title, liveStatus: 'was_live' })).to.equal(title)
  })
})
