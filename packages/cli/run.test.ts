import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect } from 'chai'
import { endJob, settleJob } from '../../test/doubles/ingress/ended-job.ts'
import { type StartedIngress, startIngress } from '../../test/doubles/ingress/started-ingress.ts'
import { openedForAll } from '../../test/doubles/opened.ts'
import { until } from '../../test/doubles/service/until.ts'
import { temporaryDirectory } from '../../test/doubles/temporary-directory.ts'
import { systemClock as clock } from '../adapters/system/clock.ts'
import { streams } from '../ports/ids.ts'
import { Interrupted, outcomes } from './failure.ts'
import { commands, run } from './run.ts'

const url = 'https://cdn.example.com/film.mp4'
const segments = [{ start: 0, end: 2, text: 'Welcome \u001B[31mhome.' }]

/** A stream that keeps what is written. */
function written(isTTY: boolean) {
  const kept: string[] = []
  return { isTTY, write: (text: string | Uint8Array) => kept.push(String(text)), text: () => kept.join('') }
}

describe('the command line', () => {
  const ingress = openedForAll(() => startIngress({ clock }))
  let org: Awaited<ReturnType<StartedIngress['org']>>
  before(async () => {
    org = await ingress.org()
  })

  /** Runs a command line in this process. `isTTY`: on a terminal. */
  function start(args: string[], { isTTY = false, more = {} }: { isTTY?: boolean; more?: object } = {}) {
    const [stdout, stderr, stdin] = [written(isTTY), written(isTTY), new PassThrough().end()]
    const interruption = new AbortController()
    const env = {
      ...{
        VIDEO_INTELLIGENCE_API_KEY: org.key,
        VIDEO_INTELLIGENCE_BASE_URL: ingress.base,
        XDG_CONFIG_HOME: '/nowhere',
      },
      ...more,
    }
    const code = run(args, { stdin: stdin as never, stdout, stderr, env }, interruption.signal)
    const ended = async () => ({ code: await code, out: stdout.text(), errors: stderr.text() })
    return { ended, interrupt: () => interruption.abort(new Interrupted(130)) }
  }

  const newestJob = () =>
    until('a job is listed', async () => (await org.get('/v1/jobs?status=queued')).body.jobs[0]?.jobId)

  it('prints a transcript: JSON in a pipe, text without control characters on a terminal, a form by name', async () => {
    const first = start(['transcript', url, '--mode', 'native'])
    const jobId = await newestJob()
    await endJob(ingress, jobId, { segments })
    const { code, out, errors } = await first.ended()
    expect([code, errors]).to.deep.equal([0, ''])
    expect(JSON.parse(out)).to.deep.include({ segments, source: 'captions' })
    const shown = await start(['transcript', '--id', jobId], { isTTY: true }).ended()
    expect(shown.out).to.equal('Welcome \\u001b[31mhome.\n')
    expect((await start(['transcript', '--id', jobId, '--format', 'vtt']).ended()).out).to.match(/^WEBVTT\n/)
    await using folder = await temporaryDirectory()
    const file = join(folder.path, 'film.srt')
    expect((await start(['transcript', '--id', jobId, '-o', file]).ended()).out).to.equal('')
    expect(await readFile(file, 'utf8')).to.match(/^1\n00:00:00,000 --> 00:00:02,000\nWelcome/)
  })

  it('ends with the code of what happened', async () => {
    const failing = start(['transcript', url, '--mode', 'native'])
    await endJob(ingress, await newestJob(), { code: 'no_speech', message: 'Nobody speaks.' })
    expect(await failing.ended()).to.deep.include({ code: 8, out: '' })
    const codes: [string[], number, RegExp][] = [
      [[], 2, /a command is missing\n`video-intelligence-cli --help`/],
      [['transcribe'], 2, /there is no command transcribe/],
      [['transcript'], 2, /the URL of a video is missing\n`video-intelligence-cli transcript --help`/],
      [['transcript', url, '--format', 'doc'], 2, /--format must be one of json, srt, vtt, txt/],
      [['transcript', url, '-o', '/nowhere/x.srt'], 2, /\/nowhere is no folder/],
      [['transcript', 'x', '--mode', 'native'], 2, /invalid_request: url /],
      [['transcript', url, '--id', 'x'], 2, /unexpected: https/],
      [['extract', url], 2, /--prompt or --schema is missing/],
      [['extract', url, '--schema', '/nowhere.json'], 2, /there is no such file/],
      [['batch', '--cancel'], 2, /--cancel goes with --id/],
      [['transcript', '--id', '00000000-0000-4000-8000-000000000000'], 5, /not_found/],
    ]
    for (const [args, code, message] of codes) {
      const { errors, ...ended } = await start(args).ended()
      expect(ended, args.join(' ')).to.deep.equal({ code, out: '' })
      expect(errors).to.match(message)
    }
    const withoutKey = await start(['me'], { more: { VIDEO_INTELLIGENCE_API_KEY: '' } }).ended()
    expect(withoutKey).to.deep.include({ code: 3 })
    expect(withoutKey.errors).to.match(/There is no API key.*\n`video-intelligence-cli login`/)
  })

  it('cancels its own job on Ctrl-C, but not one that was requested earlier', async () => {
    const running = start(['transcript', url, '--mode', 'native'])
    const jobId = await newestJob()
    const watching = start(['transcript', '--id', jobId])
    watching.interrupt()
    const left = await watching.ended()
    expect([left.code, left.errors]).to.deep.equal([
      130,
      `Job ${jobId} continues; --id ${jobId} in place of the URL waits for it.\n`,
    ])
    expect((await org.get(`/v1/jobs/${jobId}`)).body.state).to.equal('waiting')
    running.interrupt()
    await until('it is cancelled', async () =>
      (await ingress.memory.read(streams.job(jobId))).some(({ type }) => type === 'JobFailed'),
    )
    await settleJob(ingress, jobId, 0)
    const { code, errors } = await running.ended()
    expect([code, errors]).to.deep.equal([130, `Job ${jobId} was cancelled, and is refunded.\n`])
  })

  it('documents its exit codes and commands in the README', async () => {
    const readme = await readFile(new URL('README.md', import.meta.url), 'utf8')
    for (const { code, about } of Object.values(outcomes)) expect(readme).to.contain(`\n| ${code} | ${about} |\n`)
    for (const name of Object.keys(commands)) expect(readme).to.match(new RegExp(`^\\| \`${name}[ \`]`, 'm'))
  })

  it('explains each command', async () => {
    const { out } = await start(['--help']).ended()
    for (const name of Object.keys(commands)) {
      expect(out).to.contain(`\n  ${name} `)
      expect((await start([name, '--help']).ended()).out).to.contain(`Usage: video-intelligence-cli ${name} `)
    }
  })
})
