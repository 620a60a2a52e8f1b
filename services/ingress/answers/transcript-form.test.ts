import { expect } from 'chai'
import { transcriptForms } from '#packages/content/captions/transcript-forms.ts'
import { transcriptFormOf } from './transcript-form.ts'

describe('the form of a transcript', () => {
  it('is the one that Accept prefers, by q-values, and JSON if Accept allows none', () => {
    const wanted: Record<string, string | undefined> = {
      'text/vtt': 'text/vtt',
      'application/x-subrip': 'application/x-subrip',
      'text/plain': 'text/plain',
      'TEXT/VTT; charset=utf-8': 'text/vtt',
      'text/*': 'text/vtt',
      'text/vtt;q=0.5, text/plain;q=0.8': 'text/plain',
      'text/vtt;q=0.5, application/json;q=0.8': undefined,
      'application/json;q=0.5, application/x-subrip': 'application/x-subrip',
      'text/vtt, */*': 'text/vtt',
      'text/vtt;q=0, text/*': 'text/plain',
      'application/json, text/vtt': undefined,
      'text/html, image/png': undefined,
      'text/html, */*;q=0.1': undefined,
      '*/*': undefined,
      '': undefined,
      ',;=': undefined,
    }
    for (const [accept, type] of Object.entries(wanted)) {
      const form = transcriptFormOf({ accept })
      expect(form && transcriptForms[form].contentType, accept).to.equal(type && `${type}; charset=utf-8`)
    }
    expect(transcriptFormOf({})).to.equal(undefined)
  })
})
