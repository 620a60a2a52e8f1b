import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { python } from '#test/doubles/python.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { testOnSandbox } from './self-test.ts'

describe('the self-test of a yt-dlp on the sandbox', function () {
  this.timeout(60_000)

  it('passes for the pinned one', () => testOnSandbox(python, undefined))

  it('fails for one that does not load: it tests the packages in the given folder', async () => {
    await using directory = await temporaryDirectory()
    const packages = directory.path
    mkdirSync(join(packages, 'yt_dlp'))
    writeFileSync(join(packages, 'yt_dlp/__init__.py'), 'raise ImportError("made for another Python")\n')
    const failure = await testOnSandbox(python, packages).catch(String)
    expect(failure).to.match(/^Error: youtube: /)
  })
})
