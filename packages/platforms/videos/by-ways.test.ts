import { expect } from 'chai'
import { PaceError } from '#packages/foundation/errors/pace-error.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import type { Way } from '../platform-definition.ts'
import { CaptionsWithheld } from '../ytdlp/missing-parts.ts'
import { NoCaptionsError, readByWays, type WayOfReading } from './by-ways.ts'

const refusal = new StepError('platform_blocked', { transient: true })
const unknown = new StepError('upstream_error', { transient: true })
const hidden = new StepError('video_private')
const aborted = new Error('nobody wants it any more')

const ytdlpFirst: Way[] = ['yt-dlp', 'innertube']
const apiFirst: Way[] = ['innertube', 'yt-dlp']
const bothOrders = [ytdlpFirst, apiFirst]

/** Reads both ways in this order. @returns the result, or the failure, and the ways used */
async function read(order: Way[], failures: Partial<Record<Way, Error>>) {
  const asked: Way[] = []
  const ways = order.map((way) => ({ way }) as WayOfReading)
  const end = await readByWays(ways, async ({ way }) => {
    asked.push(way)
    const failure = failures[way]
    if (failure) throw failure
    return way
  }).catch((error) => error)
  return { end, asked }
}

describe('reading by two ways', () => {
  it('asks the second way for nothing that the first has read', async () => {
    expect(await read(ytdlpFirst, {})).to.deep.equal({ end: 'yt-dlp', asked: ['yt-dlp'] })
    expect(await read(apiFirst, {})).to.deep.equal({ end: 'innertube', asked: ['innertube'] })
  })

  it('uses the API only for what refuses yt-dlp', async () => {
    expect((await read(ytdlpFirst, { 'yt-dlp': refusal })).end).to.equal('innertube')
    for (const failure of [hidden, unknown, aborted])
      expect(await read(ytdlpFirst, { 'yt-dlp': failure })).to.deep.equal({ end: failure, asked: ['yt-dlp'] })
  })

  it('uses yt-dlp for whatever the API cannot read, unless the read was aborted', async () => {
    for (const failure of [hidden, unknown, refusal])
      expect((await read(apiFirst, { innertube: failure })).end).to.equal('yt-dlp')
    expect(await read(apiFirst, { innertube: aborted })).to.deep.equal({ end: aborted, asked: ['innertube'] })
  })

  it('uses no second way while the platform’s pace refuses the first: both wait in one line', async () => {
    const early = new PaceError(20_000)
    for (const order of bothOrders)
      expect(await read(order, { [order[0] as Way]: early })).to.deep.equal({ end: early, asked: [order[0]] })
  })

  it('never reports missing captions if yt-dlp was refused existing ones', async () => {
    const none = new NoCaptionsError()
    const held = new CaptionsWithheld()
    expect((await read(ytdlpFirst, { 'yt-dlp': held, innertube: none })).end).to.equal(held)
    expect((await read(ytdlpFirst, { 'yt-dlp': refusal, innertube: none })).end).to.equal(none)
  })

  it('reports the failure about the video, else yt-dlp’s, in either order', async () => {
    for (const order of bothOrders) {
      expect((await read(order, { 'yt-dlp': refusal, innertube: hidden })).end).to.equal(hidden)
      expect((await read(order, { 'yt-dlp': refusal, innertube: unknown })).end).to.equal(refusal)
      expect((await read(order, { 'yt-dlp': refusal, innertube: aborted })).end).to.be.oneOf([aborted])
    }
  })
})
