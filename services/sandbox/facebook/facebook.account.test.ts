import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { tryReader } from '../site.harness.ts'
import { type FacebookVideo, facebookVideos } from './catalogue.ts'
import { facebookSites } from './site.ts'

const cookies = ['c_user\t100001', 'xs\tsecret'].map((pair) => `.facebook.com\tTRUE\t/\tTRUE\t1999999999\t${pair}`)
const behindWall = facebookVideos.find(({ trouble }) => trouble === 'login_wall') as FacebookVideo

describe('the sandbox’s Facebook, read by our reader with an account', function () {
  this.timeout(60_000)
  const harness = tryReader(facebookSites, async (_opened, cookiesDirectory) => {
    await writeFile(join(cookiesDirectory, 'facebook.txt'), ['# Netscape HTTP Cookie File', ...cookies, ''].join('\n'))
    return { cookiesDirectory }
  })

  it('shows what is behind the login wall to a signed-in browser, which the reader imitates', async () => {
    const { description, formats } = await harness.infoOf(behindWall)
    expect([description, formats.length]).to.deep.equal([behindWall.description, 4])
    expect(await harness.fileOf(behindWall, 'sd')).to.equal('film')
  })
})
