/** The files of an installation on one machine: ops/compose.single.yaml, ops/.env.example and the unit for systemd. */
import { execFile, execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { parse } from 'yaml'
import { readConfig, variables } from '#packages/foundation/config/config.ts'
import { scriptArguments } from '#test/doubles/script-arguments.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { composeProblems } from './compose.harness.ts'

const read = (path: string): string => readFileSync(path, 'utf8')
const run = promisify(execFile)

describe('ops/compose.single.yaml', () => {
  const compose = parse(read('ops/compose.single.yaml'))
  const { 'video-intelligence': service, ...others } = compose.services

  it('fits the schema of compose files', () => {
    expect(composeProblems(compose)).to.deep.equal([])
  })

  it('is one confined service, with its data in a volume, at this machine’s port', () => {
    expect(others).to.deep.equal({})
    expect(service).to.deep.include({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    })
    expect(service.ports.join(' ')).to.match(/^\$\{PUBLISH:-127\.0\.0\.1:8080\}:8080$/)
    expect(service.volumes).to.include('data:/data')
    expect(service).to.not.have.any.keys('privileged', 'cap_add', 'network_mode', 'command', 'entrypoint', 'user')
    expect(Object.keys(compose.volumes)).to.include.members(['data', 'yt-dlp', 'cookies'])
  })

  it('is named otherwise than the distributed mode, so that neither removes the other', () => {
    expect(compose.name).to.not.equal(parse(read('ops/compose.yaml'), { merge: true }).name)
  })
})

describe('ops/.env.example', () => {
  const blocks = read('ops/.env.example').trim().split('\n').slice(3)
  const settings = blocks.filter((line) => /^#\w+=/.test(line)).map((line) => line.slice(1))
  const names = settings.map((line) => line.replace(/=.*/, ''))

  it('sets nothing by itself: each line is a comment', () => {
    expect(
      read('ops/.env.example')
        .split('\n')
        .filter((line) => /^[^#]/.test(line)),
    ).to.deep.equal([])
  })

  it('names variables of the configuration, each once, after a line that describes it', () => {
    const known = Object.values(variables).map(({ variable }) => variable as string)
    expect(names.filter((name) => !known.includes(name))).to.deep.equal([])
    expect(new Set(names).size).to.equal(names.length)
    expect(blocks.map((line) => /^# [A-Z]/.test(line))).to.deep.equal(blocks.map((_, index) => index % 2 === 0))
  })

  it('has values that the service accepts, all together', () => {
    const given = Object.fromEntries(settings.map((line) => line.split(/=(.*)/s).slice(0, 2)))
    expect(readConfig({ HOST: '0.0.0.0', ...given }).publicUrl).to.equal('https://video.example.com')
    expect(() => readConfig({ ...given, LOG_LEVEL: 'loud' })).to.throw('LOG_LEVEL')
  })
})

describe('ops/systemd/video-intelligence.service', () => {
  const path = 'ops/systemd/video-intelligence.service'
  const unit = read(path)
  const settingOf = (name: string): string | undefined => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1]

  it('runs npm start, as a user of its own that writes only its data', () => {
    expect(settingOf('ExecStart')).to.equal(
      `/opt/video-intelligence/node_modules/.bin/node ${scriptArguments('start').join(' ')}`,
    )
    expect(settingOf('User')).to.equal('video-intelligence')
    expect(settingOf('ProtectSystem')).to.equal('strict')
    expect(settingOf('Environment')).to.contain(`DATA_DIR=/var/lib/${settingOf('StateDirectory')}`)
    expect(unit).to.not.match(/^(ReadWritePaths|MemoryDenyWriteExecute)=/m)
  })

  it('has nothing that systemd does not know', async function () {
    try {
      execFileSync('systemd-analyze', ['--version'], { stdio: 'ignore' })
    } catch {
      return this.skip() // Mocha reports it as skipped; the test above runs everywhere.
    }
    await using folder = await temporaryDirectory()
    const here = join(folder.path, 'video-intelligence.service')
    const problemsOf = async (text: string): Promise<string> => {
      await writeFile(here, text.replaceAll('/opt/video-intelligence', process.cwd()))
      const told = await run('systemd-analyze', ['verify', '--man=no', here]).catch(
        (error: { stderr: string }) => error,
      )
      return told.stderr
        .split('\n')
        .filter((line) => line.includes('video-intelligence.service'))
        .join('\n')
    }
    expect(await problemsOf(unit)).to.equal('')
    expect(await problemsOf(unit.replace('ProtectClock=', 'ProtectClok='))).to.contain('ProtectClok')
  })
})
