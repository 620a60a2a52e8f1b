import { expect } from 'chai'
import { metrics } from '#packages/telemetry/metrics.ts'
import { keptLog } from '#test/doubles/kept-log.ts'
import { RecordingTelemetry } from '#test/doubles/telemetry.ts'
import { WarningLog } from './warning-log.ts'

const url = 'https://www.youtube.com/watch?v=dQw4w9WgXcQ'
const said = (text: string) => `[youtube] dQw4w9WgXcQ: ${text}`
const withheld = said('There are missing subtitles languages because a PO token was not provided.')
const HOUR_MS = 3_600_000

describe('the log of yt-dlp’s warnings', () => {
  function opened(hasPotService = false) {
    const telemetry = new RecordingTelemetry()
    const { log, lines } = keptLog()
    const time = { now: Date.parse('2026-11-27T00:00:00Z') }
    const clock = { now: () => time.now, sleep: () => Promise.reject(new Error('not asked for')) }
    const warnings = new WarningLog({ clock, log, telemetry, hasPotService })
    const logged = () => lines.map((line) => JSON.parse(line) as { msg: string; reason: string; remedy?: string })
    const counted = () =>
      telemetry.values.flatMap(({ name, attributes }) =>
        name === metrics.readerWarnings.name ? [attributes['video.warning.meaning']] : [],
      )
    return { warnings, logged, counted, time }
  }

  it('counts every warning by its meaning, and logs those that an operator can act on', () => {
    const { warnings, logged, counted } = opened()
    const all = [said('Release time of video is not known'), said('Odd: https://host/a?sig=1'), withheld, withheld]
    warnings.note('youtube', url, all)
    expect(counted()).to.deep.equal(['detail_missing', 'unknown', 'captions_withheld', 'captions_withheld'])
    expect(logged().map(({ msg, reason }) => [msg, reason])[0]).to.deep.equal([
      'yt-dlp warns of something that this service does not know',
      '[youtube] (id): Odd: (address)',
    ])
    expect(logged().map(({ remedy }) => remedy)).to.deep.equal([
      undefined,
      ...Array(2).fill(warnings.withholding[0]?.remedy),
    ])
  })

  it('reports a platform that withholds captions for an hour, and what to check if there is a token service', () => {
    const { warnings, time } = opened()
    expect(warnings.withholding).to.deep.equal([])
    warnings.note('youtube', url, [withheld])
    const last = new Date(time.now)
    time.now += HOUR_MS
    const remedy = 'set YOUTUBE_POT_URL to a service that makes proof tokens'
    expect(warnings.withholding).to.deep.equal([{ platform: 'youtube', last, remedy }])
    time.now += 1
    expect(warnings.withholding).to.deep.equal([])
    const { warnings: ours } = opened(true)
    ours.noteWithheld('youtube', 'an empty body')
    expect(ours.withholding[0]?.remedy).to.match(/see whether the service at YOUTUBE_POT_URL answers/)
  })
})
