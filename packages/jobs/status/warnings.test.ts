import { expect } from 'chai'
import { noOptions } from '#packages/domain/job/events.ts'
import { jobRequested } from '#packages/domain/job/job.fixture.ts'
import { warningsOf } from './warnings.ts'

type Events = Parameters<typeof warningsOf>[0]

const segments = [{ start: 0, end: 1, text: 'Hello' }]
const text = { engine: 'e', model: null, audioSeconds: 1, segments }

const requested = (lang: string | null, words = false, vocabulary: string | null = null) => ({
  type: 'JobRequested' as const,
  data: jobRequested({ lang, options: { ...noOptions, words, vocabulary } }),
})
const fetched = (...languages: (string | null)[]) =>
  ({
    type: 'VideoFetched',
    data: { captionTracks: languages.map((language) => ({ language, source: 'human', format: 'vtt' })) },
  }) as unknown as Events[number]
const captions = (language: string | null, more: object = {}) => ({
  type: 'CaptionsRead' as const,
  data: { ...text, language, source: 'human' as const, ...more },
})
const speech = (language: string | null, more: object = {}) => ({
  type: 'SpeechTranscribed' as const,
  data: { ...text, language, source: 'speech' as const, ...more },
})

describe('the warnings of a job', () => {
  it('are none if the text is in the requested language, in any region of it, or in an unknown one', () => {
    expect(warningsOf([requested('pt-BR'), fetched('pt-PT', 'en'), captions('pt-PT')])).to.deep.equal([])
    expect(warningsOf([requested(null), fetched('en'), captions('en')])).to.deep.equal([])
    expect(warningsOf([requested('fr'), speech(null)])).to.deep.equal([])
    expect(warningsOf([requested('fr'), fetched('en')]), 'no text yet').to.deep.equal([])
    expect(warningsOf([])).to.deep.equal([])
  })

  it('name the language that an unknown tag probably means, from the beginning and without any other', () => {
    expect(warningsOf([requested('englsh')])).to.deep.equal([{ code: 'language_unknown', didYouMean: 'en' }])
    expect(warningsOf([requested('xx'), fetched('en'), captions('en')])).to.deep.equal([
      { code: 'language_unknown', didYouMean: null },
    ])
  })

  it('list the available languages if the requested one is missing', () => {
    const unavailable = (...available: string[]) => [{ code: 'language_unavailable', available }]
    expect(warningsOf([requested('fr'), fetched('en', null, 'de', 'en'), captions('en')])).to.deep.equal(
      unavailable('en', 'de'),
    )
    expect(warningsOf([requested('fr'), fetched('de'), speech('en')])).to.deep.equal(unavailable('en'))
  })

  it('say once if another language is spoken than requested, and that is nearly certain', () => {
    const heard = (language: string, probability: number) => ({ heard: { language, probability } })
    const contradicted = [{ code: 'language_contradicted', heard: 'fr', probability: 0.98 }]
    expect(warningsOf([requested('en-GB'), speech('en', heard('fr', 0.98))])).to.deep.equal(contradicted)
    expect(warningsOf([requested('en'), speech('en', heard('fr', 0.9))]), 'not sure enough').to.deep.equal([])
    expect(warningsOf([requested('en'), speech('en', heard('en', 0.99))])).to.deep.equal([])
    expect(warningsOf([requested(null), speech('fr', heard('fr', 0.99))])).to.deep.equal([])
    expect(warningsOf([requested('en'), speech('fr', heard('fr', 0.99))]), 'the text is in it').to.deep.equal([
      { code: 'language_unavailable', available: ['fr'] },
    ])
  })

  it('say if words were requested and their times are unknown', () => {
    expect(warningsOf([requested(null, true), captions('en')])).to.deep.equal([{ code: 'words_unavailable' }])
    expect(warningsOf([requested(null, true), captions('en', { words: [] })])).to.deep.equal([])
    expect(warningsOf([requested(null, true), fetched('en')]), 'no text yet').to.deep.equal([])
    expect(warningsOf([requested(null), captions('en')])).to.deep.equal([])
  })

  it('say why possible captions were replaced by speech', () => {
    const without = (reason: string) => ({ type: 'CaptionsUnavailable' as const, data: { reason } })
    const unread = [{ code: 'captions_unread', reason: 'platform_blocked' }]
    expect(warningsOf([requested(null), without('platform_blocked'), speech('en')])).to.deep.equal(unread)
    expect(warningsOf([requested(null), without('captions_unavailable'), speech('en')])).to.deep.equal([])
    expect(warningsOf([requested(null), without('platform_blocked')]), 'no text yet').to.deep.equal([])
  })

  it('say how much of a vocabulary a speech engine used, if not all of it', () => {
    const asked = requested(null, false, 'Señora, Dashwood')
    const unheeded = (heeded: number) => [{ code: 'vocabulary_unheeded', heeded }]
    expect(warningsOf([asked, speech('en')])).to.deep.equal(unheeded(0))
    expect(warningsOf([asked, speech('en', { vocabularyHeeded: 6 })])).to.deep.equal(unheeded(6))
    expect(warningsOf([asked, speech('en', { vocabularyHeeded: 16 })])).to.deep.equal([])
    expect(warningsOf([asked, captions('en')]), 'captions are as they are').to.deep.equal([])
    expect(warningsOf([asked, fetched('en')]), 'no text yet').to.deep.equal([])
  })
})
