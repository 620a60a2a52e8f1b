import { stat } from 'node:fs/promises'
import { expect } from 'chai'
import { noTelemetry } from '#packages/telemetry/telemetry.ts'
import { instantClock } from '#test/doubles/instant-clock.ts'
import { keptLog } from '#test/doubles/kept-log.ts'
import { python } from '#test/doubles/python.ts'
import { makeWav, readSpeech, synthesized } from '#test/doubles/speech/recordings.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { wordErrorRate } from '../word-error-rate.ts'
import { pocketsphinxEngine } from './engine.ts'
import { findSpeech } from './find-speech.ts'
import { speechWorkers } from './speech-workers.ts'

const never = new AbortController().signal
const silent = {
  silence: 'anullsrc=r=16000:cl=mono',
  'a high tone': 'sine=f=440:r=16000',
  'a low tone': 'sine=f=150:r=16000',
  'a chord': "aevalsrc='0.2*sin(2*PI*261.6*t)+0.2*sin(2*PI*329.6*t)+0.2*sin(2*PI*392*t)':s=16000",
  'chords in turn':
    "aevalsrc='0.2*sin(2*PI*(220+44*floor(mod(t,4)))*t)+0.2*sin(2*PI*(277+55*floor(mod(t,4)))*t)':s=16000",
  'a plucked melody':
    "aevalsrc='exp(-4*mod(t,0.5))*(0.3*sin(2*PI*220*pow(2,floor(mod(t*2,8))/6)*t)+0.1*sin(6*PI*220*pow(2,floor(mod(t*2,8))/6)*t))':s=16000",
  'a beat': "aevalsrc='exp(-30*mod(t,0.5))*random(0)*0.6+exp(-15*mod(t+0.25,0.5))*sin(2*PI*60*t)*0.6':s=16000",
  'a buzzing tone that swells': "aevalsrc='(0.5+0.5*sin(8*PI*t))*0.3*(2*mod(t*150,1)-1)':s=16000",
  'white noise': 'anoisesrc=c=white:r=16000:a=0.3',
  'pink noise': 'anoisesrc=c=pink:r=16000:a=0.3',
  'brown noise': 'anoisesrc=c=brown:r=16000:a=0.3',
  'faint noise': 'anoisesrc=c=pink:r=16000:a=0.005',
}

describe('local speech-to-text', function () {
  this.timeout(60_000)
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>
  let workers: ReturnType<typeof speechWorkers>
  before(async () => {
    directory = await temporaryDirectory()
    workers = speechWorkers({ python, clock: instantClock(), log: keptLog().log, telemetry: noTelemetry })
  })
  after(async () => {
    await workers[Symbol.asyncDispose]()
    await directory[Symbol.asyncDispose]()
  })

  let transcribed = 0
  const onTranscribed = (seconds: number): void => {
    transcribed += seconds
  }
  const limits = () => ({ organization: 'org', signal: never, deadlineAt: Date.now() + 60_000 })
  const secondsOf = async (path: string) => ((await stat(path)).size - 44) / 32_000
  const regionsOf = async (path: string) =>
    findSpeech({ workers })(path, { seconds: await secondsOf(path), ...limits() })
  async function transcribe(wavPath: string, lang: string | null = null) {
    const engine = pocketsphinxEngine({ workers, clock: instantClock() })
    const [seconds, regions] = [await secondsOf(wavPath), await regionsOf(wavPath)]
    const input = { wavPath, seconds, regions, lang, words: true, directory: directory.path }
    return engine.transcribe({ ...input, ...limits(), onTranscribed })
  }

  for (const [what, description] of Object.entries(silent)) {
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

  it('gets at most 35 % of the words of read speech wrong, with times and confidences', async () => {
    const spoken: string[] = []
    for (const { path } of readSpeech()) {
      const { language, segments, words = [] } = await transcribe(path)
      expect(language).to.equal('en')
      expect(segments[0]?.start).to.be.closeTo(0.3, 0.3)
      for (const word of words) expect(word.confidence).to.be.within(0, 1)
      expect(words.some(({ confidence = 1 }) => confidence < 0.9)).to.equal(true)
      expect(words.map(({ text }) => text).join(' ')).to.equal(segments.map(({ text }) => text).join(' '))
      spoken.push(...segments.map(({ text }) => text))
    }
    const reference = readSpeech().map(({ text }) => text)
    expect(wordErrorRate(reference.join(' '), spoken.join(' '))).to.be.at.most(0.35)
  })

  it('refuses other languages than English', async () => {
    const [clip] = readSpeech()
    expect((await transcribe(clip?.path ?? '', 'en-GB')).segments).to.have.length(1)
    expect(transcribed).to.be.greaterThan(1)
    const error = await transcribe(clip?.path ?? '', 'de').catch((e) => e)
    expect(error).to.include({ code: 'media_unsupported', transient: false })
    expect(error.message).to.include('English')
  })

  it('decodes a region again, and the request succeeds, when a worker is killed at work', async () => {
    const [clip] = readSpeech()
    const path = clip?.path ?? ''
    await regionsOf(path)
    const words = transcribe(path)
    for (const pid of workers.pids) process.kill(pid, 'SIGKILL')
    expect((await words).segments).to.have.length(1)
  })
})
