/**
 * Starts the image's own command on the files that ops/Dockerfile copies, as `docker run --read-only` would: everything
 * is mounted for reading only, except the folder of the data and the temporary folder.
 */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { unpaced } from '#packages/foundation/config/config.ts'
import { type SandboxWorld, startSandboxWorld } from '#services/sandbox/world.ts'
import { machineEnvironment } from '#test/doubles/machine-environment.ts'
import { scriptArguments } from '#test/doubles/script-arguments.ts'
import { until } from '#test/doubles/service/until.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { imageFolder, instructions, variablesOfImage } from './image.harness.ts'

const run = promisify(execFile)
const isRoot = process.getuid?.() === 0
const ownMounts = ['--mount', ...(isRoot ? [] : ['--map-root-user'])]

/** Mounts all but the system's own folders and the two given ones for reading only, then becomes the command. */
const readOnly = `
  data=$1 temporary=$2
  shift 2
  mount --bind "$data" "$data" && mount --bind "$temporary" "$temporary" || exit 3
  while read -r _ _ _ _ at _; do
    case $at in /proc* | /sys* | /dev* | "$data" | "$temporary") ;; *) mount -o remount,bind,ro "$at" 2>/dev/null ;; esac
  done </proc/self/mountinfo
  if touch package.json 2>/dev/null; then echo 'the root is writable' && exit 3; fi
  exec "$@"`

const canMount = (): boolean => {
  try {
    execFileSync('unshare', [...ownMounts, 'mount', '--bind', '/tmp', '/tmp'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** The words of an instruction in exec form. */
const wordsOf = (instruction: RegExp): string[] => {
  const [found = ''] = instructions.flatMap((line) => instruction.exec(line)?.[1] ?? [])
  return JSON.parse(found.replaceAll(/\s+"/g, ' "')) as string[]
}

describe('the image as one container', function () {
  this.timeout(240_000)

  const open = new AsyncDisposableStack()
  let world: SandboxWorld
  let app: string
  let dataDir: string
  let env: Record<string, string>
  let service: ChildProcess
  let printed = ''
  let key = ''
  /** A local address that only a server on all interfaces answers at. */
  let base = ''

  before(async function () {
    if (!canMount()) return this.skip() // Mocha reports it as skipped.
    world = open.use(await startSandboxWorld())
    app = open.use(await imageFolder()).path
    dataDir = open.use(await temporaryDirectory()).path
    const temporary = open.use(await temporaryDirectory()).path
    const outside = { EGRESS_PROXY: world.proxyUrl, EGRESS_CA_FILE: world.caFile, ...unpaced() }
    const own = { DATA_DIR: dataDir, TMPDIR: temporary, npm_config_cache: temporary, PORT: '0' }
    env = { ...machineEnvironment(), ...variablesOfImage(), ...outside, ...own }
    const [init, dashes, ...command] = wordsOf(/^ENTRYPOINT (.+)/)
    expect([init, dashes]).to.deep.equal(['tini', '--'])
    const words = [...ownMounts, 'sh', '-c', readOnly, 'sh', dataDir, temporary, ...command]
    service = spawn('unshare', words, { cwd: app, env, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const output of [service.stdout, service.stderr])
      output?.setEncoding('utf8').on('data', (text: string) => (printed += text))
    const port = await until('it serves', () => {
      if (service.exitCode !== null) throw new Error(printed)
      return /base URL +http:\/\/127\.0\.0\.1:(\d+)/.exec(printed)?.[1]
    })
    base = `http://127.0.0.2:${port}`
    env.PORT = port
    const made = await run(process.execPath, [...scriptArguments('org'), 'create', 'Acme', '--json'], { cwd: app, env })
    key = /"(ma_\w+)"/.exec(made.stdout)?.[1] ?? ''
  })
  after(async () => {
    if (service?.exitCode === null) service.kill('SIGKILL')
    await open.disposeAsync()
  })

  async function transcriptOf(body: object): Promise<{ status: string; resultJson: { source: string; text: string } }> {
    const headers = { 'x-api-key': key, 'content-type': 'application/json', prefer: 'wait=60' }
    const accepted = await fetch(`${base}/v1/transcript`, { method: 'POST', headers, body: JSON.stringify(body) })
    const { jobId } = (await accepted.json()) as { jobId: string }
    return (await fetch(`${base}/v1/transcript/${jobId}`, { headers })).json() as ReturnType<typeof transcriptOf>
  }

  it('tells a stranger how to go on: the first owner’s link, how to make a key, and PUBLIC_URL', async () => {
    const troubles = printed.split('\n').filter((line) => /"level":"(warn|error)"/.test(line))
    // A slow machine holds the event loop.
    expect(troubles.filter((line) => !line.includes('the event loop was held'))).to.deep.equal([])
    const link = /First owner.*\s+(http\S+)/.exec(printed)?.[1] ?? ''
    expect(printed)
      .to.match(/PUBLIC_URL +unset/)
      .and.contain('npm run org -- create')
    const page = await fetch(link)
    expect(page.status, printed).to.equal(200)
    expect(await page.text()).to.contain('</html>')
  })

  it('serves a transcript by captions', async () => {
    const job = await transcriptOf({ url: 'https://www.youtube.com/watch?v=nvlHourCh01', mode: 'native' })
    expect(job.status, printed).to.equal('completed')
    expect(job.resultJson).to.include({ source: 'captions' })
  })

  it('serves a transcript by its own speech model', async function () {
    if (!existsSync('.models/whisper/chosen')) return this.skip()
    const job = await transcriptOf({ url: 'http://films.example.com/sense-and-sensibility.mp4', mode: 'generate' })
    expect(job.status, printed).to.equal('completed')
    expect(job.resultJson.text.toLowerCase()).to.contain('john dashwood')
  })

  it('serves the dashboard', async () => {
    const page = await fetch(`${base}/dashboard`)
    expect(page.status).to.equal(200)
    expect(await page.text()).to.contain('Sign in')
  })

  it('is healthy by its own check, and keeps its data to its user', async () => {
    const [node = '', ...words] = wordsOf(/^HEALTHCHECK .*CMD (.+)/)
    await run(node, words, { env })
    expect(statSync(join(dataDir, 'events.sqlite')).mode & 0o077).to.equal(0)
  })

  it('ends within seconds of SIGTERM, and is unhealthy then', async () => {
    const began = performance.now()
    service.kill('SIGTERM')
    const [code] = await once(service, 'exit')
    expect(code, printed).to.equal(0)
    expect(performance.now() - began).to.be.below(10_000)
    const [node = '', ...words] = wordsOf(/^HEALTHCHECK .*CMD (.+)/)
    const checked = await run(node, words, { env }).catch((error: { code: number }) => error)
    expect(checked).to.include({ code: 1 })
  })
})
