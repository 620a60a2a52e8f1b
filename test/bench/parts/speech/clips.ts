import { wordErrorRate } from '#packages/content/speech/word-error-rate.ts'
import { readSpeech, spokenFilm, worse } from '#test/doubles/speech/recordings.ts'
import { times } from '../../kit/figures.ts'
import type { Bench, Row } from '../../part.ts'
import type { SpeechRival } from '../../rivals/speech/speech-rival.ts'
import type { Heard } from '../../service/speech-engine-process.ts'
import { type Contestant, ours, rivals } from './contestants.ts'
import { secondsOfWav } from './recording.ts'

const MEGABYTE = 1e6

type Clip = { name: string; path: string; seconds: number }
/** The results of an engine: of each clip, and of the first clip also right after its start. */
type Score = { rates: number[]; cpu: number; peakBytes: number; coldSeconds: number; warmSeconds: number }

async function makeClips(directory: string): Promise<Clip[]> {
  const filters = { clean: 'anull', ...worse, 'at −36 dB': 'volume=-36dB' }
  const clips: Clip[] = []
  for (const [name, filter] of Object.entries(filters)) {
    const path = await spokenFilm(directory, name.replaceAll(/\W/g, '-'), filter)
    clips.push({ name, path, seconds: await secondsOfWav(path) })
  }
  return clips
}

async function startCold(bench: Bench, { start }: Contestant, { path }: Clip) {
  const from = performance.now()
  const rival = await start(bench)
  await rival.hear(path)
  return { rival, coldSeconds: (performance.now() - from) / 1000 }
}

function scoreOf(heard: readonly Heard[], clips: readonly Clip[], coldSeconds: number): Score {
  const reference = readSpeech()
    .map(({ text }) => text)
    .join(' ')
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
  return {
    rates: heard.map(({ text }) => 100 * wordErrorRate(reference, text)),
    cpu: sum(heard.map(({ cpuSeconds }) => cpuSeconds)) / sum(clips.map(({ seconds }) => seconds)),
    peakBytes: Math.max(...heard.map(({ peakBytes }) => peakBytes)),
    coldSeconds,
    warmSeconds: heard[0]?.wallSeconds ?? Number.NaN,
  }
}

/** The engines hear each clip in turn, so that other work of the machine affects all alike. */
async function measure(bench: Bench, all: readonly Contestant[], clips: readonly Clip[]): Promise<Score[]> {
  const [first] = clips
  if (first === undefined) return []
  await using open = new AsyncDisposableStack()
  const started: { rival: SpeechRival; coldSeconds: number; heard: Heard[] }[] = []
  for (const contestant of all) {
    const one = await startCold(bench, contestant, first)
    open.use(one.rival)
    started.push({ ...one, heard: [] })
  }
  for (const { path } of clips) for (const { rival, heard } of started) heard.push(await rival.hear(path))
  return started.map(({ heard, coldSeconds }) => scoreOf(heard, clips, coldSeconds))
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
const cpuOf = ({ cpu }: Score): string => `${cpu.toFixed(3)} s`
const ratesOf = ({ rates }: Score): string =>
  `${mean(rates).toFixed(1)} % (${rates.map((rate) => rate.toFixed(1)).join(', ')})`
const restOf = ({ peakBytes, coldSeconds, warmSeconds }: Score): string =>
  `${Math.round(peakBytes / MEGABYTE)} MB; ${coldSeconds.toFixed(1)} s, ${warmSeconds.toFixed(1)} s`

function rowsBeside({ label, limits }: Contestant, mine: Score, theirs: Score, names: string): Row[] {
  const ratio = mine.cpu / theirs.cpu
  const more = mean(mine.rates) - mean(theirs.rates)
  return [
    {
      what: 'CPU for each second of sound',
      measured: cpuOf(mine),
      against: `${label}: ${cpuOf(theirs)}`,
      ratio: times(ratio),
      ...(limits?.cpu && { wanted: `≤ ${limits.cpu} ×`, met: ratio <= limits.cpu }),
    },
    {
      what: `the same: words wrong (${names})`,
      measured: ratesOf(mine),
      against: ratesOf(theirs),
      ...(limits?.morePoints && { wanted: `≤ ${limits.morePoints} points more`, met: more <= limits.morePoints }),
    },
    {
      what: 'the same: peak memory of a process; the film of 30 s with nothing loaded, and with all',
      measured: restOf(mine),
      against: restOf(theirs),
    },
  ]
}

export async function clipRows(bench: Bench): Promise<Row[]> {
  const clips = await makeClips(bench.directory)
  const [mine, ...theirs] = await measure(bench, [ours, ...rivals], clips)
  if (mine === undefined) return []
  const names = clips.map(({ name }) => name).join(', ')
  return rivals.flatMap((rival, i) => rowsBeside(rival, mine, theirs[i] as Score, names))
}
