import { join } from 'node:path'
import type { Service } from '#test/doubles/service/service.ts'
import { allOf } from '../../kit/all-of.ts'
import { Child } from '../../kit/child.ts'
import { milliseconds, times } from '../../kit/figures.ts'
import { median, percentile } from '../../kit/percentiles.ts'
import { inTurn } from '../../kit/rounds.ts'
import type { Bench, Row } from '../../part.ts'
import { askTranscript } from '../../service/ask-transcript.ts'
import {
  keysOf,
  type Outside,
  runYtdlp,
  sandboxProcess,
  startService,
  unknownVideos,
} from '../../service/sandboxed-service.ts'

const ROUNDS = 2
const WARM_UP = 12
/** The number of videos in a round. yt-dlp's command line takes longer, so it gets fewer. */
const ONE_AT_A_TIME = { atOnce: 1, ours: 50, theirs: 8 }
const TWENTY = { atOnce: 20, ours: 100, theirs: 20 }
/** The median may take at most this fraction of the command line's time: through yt-dlp, and by YouTube's own API. */
const MOST = 0.5
const MOST_BY_API = 0.12

/** Measures how long the transcripts of this many videos take, with this many at once, milliseconds each. */
type Measure = (count: number, atOnce: number) => Promise<number[]>

/** Native transcripts of new videos, compared with yt-dlp's command line for the same captions. */
export async function captionsRows(bench: Bench): Promise<Row[]> {
  await using world = new Child(sandboxProcess, { directory: bench.directory })
  const outside = await world.call<Outside>('open')
  await using service = await startService(outside)
  await using apiService = await startService(outside, { YOUTUBE_FIRST: 'innertube' })
  const next = unknownVideos()
  const files = await bench.folder('yt-dlp')

  const by = ({ base }: Service, keys: readonly string[]): Measure =>
    measured(async (index) => {
      const wanted = { url: next(), mode: 'native', lang: 'en' }
      return (await askTranscript(base, keys[index % keys.length] ?? '', wanted)).milliseconds
    })
  const ours = by(service, await keysOf(service))
  const byApi = by(apiService, await keysOf(apiService))
  const captions = ['--skip-download', '--write-subs', '--sub-langs', 'en', '--sub-format', 'json3']
  const theirs: Measure = measured(async () => {
    const from = performance.now()
    await runYtdlp(outside, join(files, 'cache'), [...captions, '--output', join(files, '%(id)s'), next()])
    return performance.now() - from
  })
  for (const one of [ours, byApi]) await one(WARM_UP, TWENTY.atOnce)
  await theirs(1, 1)
  return [
    await rowOf('one at a time', bench, { ...ONE_AT_A_TIME, measures: { ours, theirs }, most: MOST }),
    await rowOf('20 at once', bench, { ...TWENTY, measures: { ours, theirs }, most: MOST }),
    await rowOf("20 at once, by YouTube's own API", bench, {
      ...TWENTY,
      measures: { ours: byApi, theirs },
      most: MOST_BY_API,
    }),
  ]
}

const measured =
  (one: (index: number) => Promise<number>): Measure =>
  async (count, atOnce) => {
    const sample: number[] = []
    await allOf(count, atOnce, async (index) => {
      sample.push(await one(index))
    })
    return sample
  }

type Wish = {
  atOnce: number
  ours: number
  theirs: number
  measures: { ours: Measure; theirs: Measure }
  most: number
}

async function rowOf(how: string, { scale }: Bench, { atOnce, ours, theirs, measures, most }: Wish): Promise<Row> {
  const scaled = (count: number): number => Math.max(atOnce, Math.ceil(count * scale))
  const samples = await inTurn(ROUNDS, {
    ours: () => measures.ours(scaled(ours), atOnce),
    theirs: () => measures.theirs(scaled(theirs), atOnce),
  })
  const [our, their] = [samples.ours.flat(), samples.theirs.flat()]
  const ratio = median(our) / median(their)
  return {
    what: `native transcript of a video not known before, ${how}: POST sent → transcript`,
    measured: both(our),
    against: `yt-dlp's command line for the same captions: ${both(their)}`,
    ratio: `${times(ratio)} the p50`,
    wanted: `≤ ${most} ×`,
    met: ratio <= most,
    why: "Two steps read a page, a player answer and the captions by yt-dlp's own code; what the service saves is its start.",
  }
}

const both = (sample: readonly number[]): string =>
  `p50 ${milliseconds(median(sample))}, p99 ${milliseconds(percentile(sample, 0.99))}`
