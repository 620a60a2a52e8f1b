import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { directoryForAll } from '#test/doubles/temporary-directory.ts'
import { filesThatLook, makeBare, notHidden } from './bare-machine.ts'
import type { Outcome } from './report.ts'

describe('a bare machine', () => {
  const folder = directoryForAll()
  before(async () => {
    for (const name of ['java', 'mvn', 'whistle'])
      await writeFile(join(folder.path, name), '#!/bin/sh\n', { mode: 0o755 })
  })

  it('has no Java, Maven, servers and recordings, and all other commands', async () => {
    const env: NodeJS.ProcessEnv = { PATH: `${folder.path}:${process.env.PATH}`, MONGODB_URL: 'mongodb://127.0.0.1' }
    const ended = (name: string) => spawnSync('sh', ['-c', name], { env }).status
    const names = ['java', 'mvn', 'whistle', 'true']
    expect(names.map(ended).slice(0, 1), 'before').to.deep.equal([0])
    {
      await using _bare = await makeBare(env)
      expect(names.map(ended)).to.deep.equal([127, 127, 0, 0])
      expect(env).to.not.have.property('MONGODB_URL')
      expect(existsSync(env.SHARED_FOLDER ?? '/')).to.equal(false)
    }
    expect(existsSync(env.PATH?.split(':')[0] ?? '/'), 'its folder is gone').to.equal(false)
  })

  it('runs the test files that import a module which looks for these', () => {
    const files = filesThatLook()
    expect(files).to.include('packages/adapters/mongodb/rate-counters.engines.test.ts')
    expect(files).to.include('services/sandbox/x/x.honesty.test.ts')
    expect(files).to.not.include('test/tidy.test.ts')
  })

  it('fails if nothing was left out', () => {
    const leftOut = (needs: string): Outcome => ({
      state: 'skipped',
      file: 'a.test.ts',
      title: 'a',
      report: '',
      ms: 0,
      lack: { needs, why: 'Java is missing' },
    })
    expect(notHidden(['Kafka', 'MongoDB', 'recordings'].map(leftOut))).to.deep.equal([])
    expect(notHidden([leftOut('Kafka')]).map(({ state, title }) => `${state} ${title}`)).to.deep.equal([
      'failed leaves out what needs MongoDB',
      'failed leaves out what needs recordings',
    ])
  })
})
