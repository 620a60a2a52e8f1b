/** The engine of this machine transcribes a recording, without any endpoint. */
import { expect } from 'chai'
import { at, Setting } from '#test/doubles/service/setting.ts'
import { readSpeech } from '#test/doubles/speech/recordings.ts'

describe('transcripts by the local engine', function () {
  this.timeout(120_000)

  it('a real voice becomes words without any endpoint', async () => {
    await using setting = await Setting.start({ media: ['speech.mp4'], speech: null })
    const me = await setting.client()
    const { body } = await me.run({ url: at('/speech.mp4'), mode: 'generate' })
    expect(body.resultJson).to.include({ source: 'speech', language: 'en' })
    const reference =
      readSpeech()
        .find(({ path }) => path.endsWith('-0870.wav'))
        ?.text.split(' ') ?? []
    const heard = new Set(body.resultJson?.text.toLowerCase().match(/[a-z']+/g))
    const recognized = reference.filter((word) => heard.has(word.toLowerCase()))
    expect(recognized.length / reference.length, body.resultJson?.text).to.be.above(0.5)
    expect(await me.credits()).to.equal(45)
  })
})
