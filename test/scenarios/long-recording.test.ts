/**
 * Twenty-five minutes of speech through the whole service. The endpoint accepts neither its size nor its length at
 * once.
 */
import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { assertAddsUp } from '#test/doubles/service/audit.ts'
import { at, Setting } from '#test/doubles/service/setting.ts'
import { joinedSpeech } from '#test/doubles/speech/recordings.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'

const SECONDS = 1500
const MEGABYTE = 1e6

/** The joined clips, and where their sounds are. */
async function recording() {
  await using directory = await temporaryDirectory()
  const { path, sounds } = await joinedSpeech(directory.path, SECONDS)
  return { file: await readFile(path), sounds }
}

/** Samples the memory of the service until `stop` is aborted. @returns the largest sample, bytes */
async function mostMemory(setting: Setting, stop: AbortSignal): Promise<number> {
  let most = 0
  while (!stop.aborted) {
    most = Math.max(most, setting.service.memory())
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  return most
}

describe('a recording of 25 minutes', function () {
  this.timeout(240_000)

  it('is transcribed with correct times to its end, within 300 MB above rest', async () => {
    const { file, sounds } = await recording()
    await using setting = await Setting.start({ files: { '/joined.wav': file } })
    const me = await setting.client()
    const rest = setting.service.memory()
    const done = new AbortController()
    const memory = mostMemory(setting, done.signal)
    const { body, text } = await me.run({ url: at('/joined.wav'), mode: 'generate' }).finally(() => done.abort())
    const above = (await memory) - rest
    const { length } = file

    expect(body.status, text.slice(0, 500)).to.equal('completed')
    const requests = setting.speech?.requests ?? []
    expect(requests.length, 'a short piece, and pieces of ten minutes').to.be.within(4, 5)
    for (const { bytes, seconds } of requests) expect([bytes <= 25e6, seconds <= 600]).to.deep.equal([true, true])
    expect(requests.map(({ language }) => language)).to.deep.equal([null, ...requests.slice(1).map(() => 'en')])
    expect(body.resultJson).to.include({ language: 'en', source: 'speech' })
    expect(length, 'more than the endpoint would take').to.be.above(25e6)

    const late = (all: readonly { start: number }[] = []) =>
      all.map(({ start }) => start).filter((start) => start >= SECONDS - 60)
    const expected = late(sounds)
    const seen = late(body.resultJson?.segments)
    expect(expected).to.have.length.above(5)
    expect(seen).to.have.length(expected.length)
    for (const [i, start] of expected.entries()) expect(seen[i]).to.be.closeTo(start, 0.5)
    expect(body.resultJson?.segments).to.have.length(sounds.length)

    expect(above / MEGABYTE, `MB above the ${Math.round(rest / MEGABYTE)} at rest`).to.be.within(1, 300)
    expect(await me.credits()).to.equal(45)
    await assertAddsUp(setting)
  })
})
