import { stat } from 'node:fs/promises'
import { expect } from 'chai'
import type { WorkerPool } from '#packages/foundation/workers/worker-pool.ts'
import { noTelemetry } from '#packages/telemetry/telemetry.ts'
import { instantClock } from '#test/doubles/instant-clock.ts'
import { keptLog } from '#test/doubles/kept-log.ts'
import { python } from '#test/doubles/python.ts'
import { makeWav, readSpeech, synthesized } from '#test/doubles/speech/recordings.ts'
import { withoutSpeech } from '#test/doubles/speech/without-speech.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { findSpeech, voiceWorkers } from './find-speech.ts'

describe('voice detection', function () {
  this.timeout(60_000)
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>
  let workers: WorkerPool
  before(async () => {
    directory = await temporaryDirectory()
    workers = voiceWorkers({ python, clock: instantClock(), log: keptLog().log, telemetry: noTelemetry })
  })
  after(async () => {
    await workers[Symbol.asyncDispose]()
    await directory[Symbol.asyncDispose]()
  })

  const secondsOf = async (path: string) => ((await stat(path)).size - 44) / 32_000
  const limits = { organization: 'org', signal: new AbortController().signal }
  const regionsOf = async (path: string) =>
    findSpeech({ workers })(path, { ...limits, seconds: await secondsOf(path), deadlineAt: Date.now() + 60_000 })

  for (const [what, description] of Object.entries(withoutSpeech)) {
    it(`finds no speech in ${what}`, async () => {
      expect(await regionsOf(await synthesized(directory.path, 'silent', description))).to.deep.equal([])
    })
  }

  it('finds speech that is clean, very quiet, narrow-band, or in noise', async () => {
    const [clip] = readSpeech()
    const noise = ['-f', 'lavfi', '-i', 'anoisesrc=c=pink:r=16000:a=0.1']
    const mixed = 'amix=inputs=2:duration=first:normalize=0'
    for (const [name, args] of Object.entries({
      clean: [],
      quiet: ['-af', 'volume=-36dB'],
      telephone: ['-af', 'highpass=300,lowpass=3400'],
      noisy: [...noise, '-filter_complex', mixed],
    })) {
      const found = await regionsOf(await makeWav(directory.path, name, ['-i', clip?.path ?? '', ...args]))
      const seconds = found.reduce((sum, { start, end }) => sum + end - start, 0)
      expect(seconds, name).to.be.above(5)
    }
  })

  it('splits speech without pauses into regions within the limit, and loses nothing', async () => {
    const clips = readSpeech().flatMap(({ path }) => ['-i', path])
    const noise = ['-f', 'lavfi', '-i', 'anoisesrc=c=pink:r=16000:a=0.2']
    const filter = '[0][1][2][3][4]concat=n=5:v=0:a=1[s];[s][5]amix=inputs=2:duration=first:normalize=0'
    const path = await makeWav(directory.path, 'long', [...clips, ...noise, '-filter_complex', filter])
    const found = await regionsOf(path)
    expect(found).to.have.length.above(1)
    for (const [i, { start, end }] of found.entries()) {
      expect(end - start).to.be.at.most(15)
      if (i > 0) expect(start).to.be.closeTo(found[i - 1]?.end ?? 0, 0.3)
    }
    expect(found.at(-1)?.end).to.be.closeTo(await secondsOf(path), 0.5)
  })
})
