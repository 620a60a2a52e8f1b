import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { python } from '#test/doubles/python.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { testOnSandbox } from './self-test.ts'

describe('the self-test of a yt-dlp on the sandbox', function () {
  this.timeout(60_000)

  it('is passed by the pinned one', () => testOnSandbox(python, undefined))

  it('is failed by one that does not load: the packages in the folder are those that are tested', async () => {
    await using directory = await temporaryDirectory()
    const packages = directory.path
    mkdirSync(join(packages, 'yt_dlp'))
    writeFileSync(join(packages, 'yt_dlp/__init__.py'), 'raise ImportError("made for another Python")\n')
    const failure = await testOnSandbox(python, packages).then(
      () => 'it passed',
      ({ message }) => message,
    )
    expect(failure).to.match(/^youtube: /)
  })
})
