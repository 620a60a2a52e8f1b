import { Child } from '../../kit/child.ts'
import { milliseconds, times } from '../../kit/figures.ts'
import { median } from '../../kit/percentiles.ts'
import { inTurn, ratioOf } from '../../kit/rounds.ts'
import type { Bench, Row } from '../../part.ts'
import { startTranscriptApi } from '../../rivals/captions/transcript-api.ts'
import { askTranscript } from '../../service/ask-transcript.ts'
import { keysOf, type Outside, sandboxProcess, startService, unknownVideos } from '../../service/sandboxed-service.ts'

const ROUNDS = 5
const VIDEOS = 30
const WARM_UP = 10
const WANTED = 1.5

/**
 * Native transcripts by YouTube's own API as whole jobs, compared with the library that only reads captions that way.
 */
export async function secondWayRow({ directory, scale }: Bench): Promise<Row> {
  await using world = new Child(sandboxProcess, { directory })
  const outside = await world.call<Outside>('open')
  await using service = await startService(outside, { YOUTUBE_FIRST: 'innertube' })
  await using library = await startTranscriptApi(outside)
  const [key = ''] = await keysOf(service)
  const next = unknownVideos()

  const ours = async (): Promise<number> =>
    (await askTranscript(service.base, key, { url: next(), mode: 'native', lang: 'en' })).milliseconds
  const theirs = (): Promise<number> => library.read(next().slice(-11))
  const several = async (one: () => Promise<number>, count: number): Promise<number> => {
    const sample: number[] = []
    while (sample.length < count) sample.push(await one())
    return median(sample)
  }
  await several(ours, WARM_UP)
  await several(theirs, WARM_UP)
  const count = Math.max(5, Math.ceil(VIDEOS * scale))
  const medians = await inTurn(ROUNDS, { ours: () => several(ours, count), theirs: () => several(theirs, count) })
  const ratio = ratioOf(medians.ours, medians.theirs)
  return {
    what: "native transcript by YouTube's own API of a video not known before: POST sent → transcript",
    measured: `p50 ${milliseconds(median(medians.ours))}`,
    against: `youtube-transcript-api for the same captions: p50 ${milliseconds(median(medians.theirs))}`,
    ratio: times(ratio),
    wanted: `≤ ${WANTED} ×`,
    met: ratio <= WANTED,
    why: 'Ours is a whole job: accepted, two steps in a queue, four events on the disk, and three requests, two of them at once.',
  }
}
