import { mkdir, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { directoryForEach } from '../../test/doubles/temporary-directory.ts'
import { UsageError } from './command.ts'
import { baseUrlOf, connectionOf, readLogin, settingsFile, writeLogin } from './settings.ts'

const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8)
const stored = { baseUrl: 'https://video.example.com', apiKey: 'ma_stored' }

describe('the login', () => {
  const folder = directoryForEach()

  it('is readable only by its owner, even if it replaces an older one in an open folder', async () => {
    const env = { XDG_CONFIG_HOME: folder.path }
    await mkdir(dirname(settingsFile(env)), { mode: 0o755 })
    await writeLogin(env, { ...stored, apiKey: 'ma_older' })
    const file = await writeLogin(env, stored)
    expect(await readLogin(env)).to.deep.equal(stored)
    expect(await modeOf(file)).to.equal('600')
    expect(await modeOf(dirname(file))).to.equal('700')
  })

  it('is in the standard’s folder for settings, and a relative path does not change that', () => {
    const usual = join(homedir(), '.config/video-intelligence/login.json')
    expect(settingsFile({})).to.equal(usual)
    expect(settingsFile({ XDG_CONFIG_HOME: 'here' })).to.equal(usual)
    expect(settingsFile({ XDG_CONFIG_HOME: '/x' })).to.equal('/x/video-intelligence/login.json')
  })

  it('sends its key only to its own address, and yields to the environment', async () => {
    const env = { XDG_CONFIG_HOME: folder.path }
    expect(await connectionOf(undefined, env)).to.deep.equal({ baseUrl: 'http://127.0.0.1:8080', apiKey: '' })
    await writeLogin(env, stored)
    expect(await connectionOf(undefined, env)).to.deep.equal(stored)
    expect(await connectionOf(`${stored.baseUrl}/v1/`, env)).to.deep.equal(stored)
    const elsewhere = 'https://other.example.com'
    expect((await connectionOf(elsewhere, env)).apiKey).to.equal('')
    expect((await connectionOf(undefined, { ...env, VIDEO_INTELLIGENCE_BASE_URL: elsewhere })).apiKey).to.equal('')
    const given = { ...env, VIDEO_INTELLIGENCE_API_KEY: 'ma_given' }
    expect(await connectionOf(undefined, given)).to.deep.equal({ ...stored, apiKey: 'ma_given' })
  })

  it('accepts only an http(s) address without credentials', () => {
    expect(baseUrlOf('http://127.0.0.1:8080/')).to.equal('http://127.0.0.1:8080')
    expect(baseUrlOf('https://example.com/video/v1')).to.equal('https://example.com/video')
    for (const wrong of ['example.com', 'ftp://example.com', 'https://a:b@example.com', ''])
      expect(() => baseUrlOf(wrong), wrong).to.throw(UsageError)
  })
})
