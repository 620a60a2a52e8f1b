import { figure } from '../../kit/figures.ts'
import type { Bench, Row } from '../../part.ts'
import { startOurs } from './contestants.ts'
import { makeRecording } from './recording.ts'

const LONG_SECONDS = 600
const SHORT_SECONDS = 120

/** How long several organizations wait when they share the workers. */
export async function sharedRows(bench: Bench): Promise<Row[]> {
  const { path: long } = await makeRecording(bench.directory, LONG_SECONDS * bench.scale, [])
  const { path: short } = await makeRecording(bench.directory, SHORT_SECONDS * bench.scale, [])
  await using engine = await startOurs(bench, 'whisper')
  const timed = async (path: string, organization: string): Promise<number> =>
    (await engine.hear(path, organization)).wallSeconds
  const alone = await timed(short, 'a')
  const four = await Promise.all(['a', 'a', 'b', 'b'].map((organization) => timed(short, organization)))
  const [whole, beside] = await Promise.all([timed(long, 'a'), timed(short, 'b')])
  return [
    {
      what: `four recordings of ${figure(SHORT_SECONDS * bench.scale)} s of two organizations at once: each`,
      measured: four.map((seconds) => `${figure(seconds)} s`).join(', '),
      against: `one alone, by all the workers: ${figure(alone)} s`,
    },
    {
      what: `one of ${figure(SHORT_SECONDS * bench.scale)} s while another organization has one of ${figure(LONG_SECONDS * bench.scale)} s under way`,
      measured: `${figure(beside)} s`,
      against: `the long one: ${figure(whole)} s`,
    },
  ]
}
