import { writeFile } from 'node:fs/promises'
import { expect } from 'chai'
import { metrics } from '#packages/telemetry/metrics.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { temporaryCache } from '#test/doubles/step-context.ts'
import { RecordingTelemetry } from '#test/doubles/telemetry.ts'
import { countedMediaCache } from './counted-media-cache.ts'
import type { Download } from './media-cache.ts'

const { signal } = new AbortController()

describe('a media cache with counted lookups', () => {
  it('counts a result without a download as a hit, and knows its size', async () => {
    await using kept = await temporaryCache()
    const telemetry = new RecordingTelemetry()
    const cache = countedMediaCache('transcripts')(kept.cache, telemetry)
    const download: Download = async (path, _signal, reserve) => {
      await reserve(5)
      await writeFile(path, 'bytes')
      return {}
    }
    for (let i = 0; i < 2; i++) await (await cache.use('a', download, signal))[Symbol.asyncDispose]()
    await failureOf(cache.use('b', () => Promise.reject(new Error('gone')), signal))
    const media = { 'video.cache': 'transcripts' }
    expect(telemetry.valuesOf(metrics.cacheLookups)).to.deep.equal([
      { value: 1, attributes: { ...media, 'video.cache.hit': false } },
      { value: 1, attributes: { ...media, 'video.cache.hit': true } },
    ])
    expect(cache.bytes).to.equal(5)
    await cache.measure()
    expect(cache.bytes).to.equal(5)
  })
})
