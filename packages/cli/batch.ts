import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { Readable, Writable } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { CsvError, parse as parseCsv } from 'csv-parse/sync'
import type { BatchDetails, NewBatchRequest } from '../../contracts/generated/http.ts'
import type { BatchResult } from '../client/batches.ts'
import type { VideoIntelligence } from '../client/client.ts'
import { VideoIntelligenceError } from '../client/error.ts'
import { choice, given, oneWord, UsageError, wholeNumber } from './command.ts'
import { type Context, command, connect, noWords, program } from './context.ts'
import { ItemsFailed } from './failure.ts'
import { fileText, jobOptions, wantedOf } from './job-body.ts'
import { isForPerson, print, withProgress, writeText } from './terminal.ts'

const formats = ['ndjson', 'csv', 'srt', 'vtt', 'txt'] as const

/** A video of the file, and the line that names it. */
export type Listed = { url: string; line: number }

/** The videos of a table with a column `url`. @throws UsageError */
function listedInTable(text: string): Listed[] {
  try {
    const rows = parseCsv(text, { bom: true, info: true, relax_column_count: true, skip_empty_lines: true, trim: true })
    const [head, ...rest] = rows as unknown as { record: string[]; info: { lines: number } }[]
    const column = head?.record.findIndex((name) => name.toLowerCase() === 'url') ?? -1
    if (column < 0) throw new UsageError('the table has no column named url')
    return rest.map(({ record, info }) => ({ url: record[column] ?? '', line: info.lines }))
  } catch (error) {
    if (error instanceof CsvError) throw new UsageError(`line ${error.lines} is no CSV: ${error.message}`)
    throw error
  }
}

/** The videos of a file: a URL on each line, or a table with a column `url`. @throws UsageError */
export function listedIn(text: string): Listed[] {
  const lines = text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map((line, at) => ({ url: line.trim(), line: at + 1 }))
    .filter(({ url }) => url !== '' && !url.startsWith('#'))
  const [first] = lines
  if (first === undefined) throw new UsageError('the file names no videos')
  return /^https?:\/\//i.test(first.url) ? lines : listedInTable(text)
}

/** The same file with the same options is the same batch, for 24 hours. */
export const keyOf = (body: NewBatchRequest): string =>
  `cli-${createHash('sha256').update(JSON.stringify(body)).digest('hex')}`

/** The most invalid lines of a file that are named. */
const MOST_NAMED = 10

/** The service numbers requests, but a person needs the lines of the file. */
function inLinesOf(error: unknown, listed: readonly Listed[]): unknown {
  if (!(error instanceof VideoIntelligenceError) || !Array.isArray(error.details)) return error
  const problems = error.details as { line?: number; message: string }[]
  if (problems.some(({ line }) => line === undefined)) return error
  const named = problems.slice(0, MOST_NAMED).map(({ line = 0, message }) => {
    const place = listed[line - 1]
    return `line ${place?.line ?? line} ${message}${place === undefined ? '' : `: ${place.url}`}`
  })
  const more =
    problems.length > MOST_NAMED ? [`and ${problems.length - MOST_NAMED} more; --skip-invalid leaves them out`] : []
  return new VideoIntelligenceError(error.code, [...named, ...more].join('\n'), { status: error.status })
}

export const statusOf = ({ counts, items }: BatchDetails): string => {
  const ended = counts.completed + counts.failed + counts.cancelled
  return `${ended} of ${items} videos${counts.failed > 0 ? `, ${counts.failed} failed` : ''}`
}

const options = {
  ...jobOptions,
  'max-credits': { value: 'NUMBER', about: 'the most that the batch may cost' },
  'skip-invalid': { about: 'leave out lines that are no URL of a video' },
  format: {
    value: 'FORMAT',
    about: `${formats.join(', ')}; srt, vtt and txt are a ZIP. Else ndjson: a line of JSON each`,
  },
  again: { about: 'a new batch, though the same was requested in the last 24 hours' },
  id: { value: 'BATCH', about: 'wait for a batch that was requested before, in place of a file' },
  cancel: { about: 'with --id: begin nothing more' },
} as const

type Asked = Context<typeof options>

async function create(context: Asked, client: VideoIntelligence): Promise<string> {
  const { io, words, values } = context
  const file = oneWord(words, 'a file (- for standard input)')
  const listed = listedIn(file === '-' ? await textOf(io.stdin) : await fileText(file))
  const maxCredits = wholeNumber('max-credits', values['max-credits'])
  const skipInvalid = values['skip-invalid']
  const requests = listed.map(({ url }) => url)
  const body: NewBatchRequest = { ...(await wantedOf(values)), ...given({ maxCredits, skipInvalid }), requests }
  const idempotencyKey = values.again ? crypto.randomUUID() : keyOf(body)
  try {
    return (await client.batches.create(body, { idempotencyKey })).batchId
  } catch (error) {
    throw inLinesOf(error, listed)
  }
}

async function ended(context: Asked, client: VideoIntelligence, batchId: string): Promise<BatchDetails> {
  const { io, signal } = context
  try {
    return await withProgress(context, 'Waiting for the batch', (progress) =>
      client.batches.wait(batchId, { signal, onProgress: (batch) => progress.show(statusOf(batch)) }),
    )
  } catch (error) {
    const how = `\`${program} batch --id ${batchId}\` waits for it, with --cancel it ends.`
    print(io.stderr, `Batch ${batchId} continues. ${how}`)
    throw error
  }
}

/** An item on a line, for a person. */
export const itemLine = ({ state, url, charged, code }: BatchResult<unknown>): string =>
  `${state.padEnd(9)}  ${String(charged).padStart(2)} credits  ${url}${code === null ? '' : `  ${code}`}`

async function write(context: Asked, client: VideoIntelligence, batchId: string): Promise<void> {
  const { io, values, signal } = context
  const format = choice('format', values.format, formats)
  if (format === undefined && isForPerson(context)) {
    for await (const item of client.batches.results(batchId, { signal })) print(io.stdout, itemLine(item))
    return
  }
  const file = Readable.fromWeb((await client.batches.file(batchId, format ?? 'ndjson', { signal })) as never)
  if (io.stdout.isTTY && values.output === undefined) return print(io.stdout, (await textOf(file)).trimEnd())
  if (values.output !== undefined) return pipeline(file, createWriteStream(values.output), { signal })
  const write = (chunk: Uint8Array, _: unknown, done: (error?: Error | null) => void) =>
    void io.stdout.write(chunk, done)
  await pipeline(file, new Writable({ write }), { signal })
}

/** A ZIP is not for a terminal. @throws UsageError */
function checkPlace({ io, values: { format = '', output } }: Asked): void {
  if (io.stdout.isTTY && output === undefined && ['srt', 'vtt', 'txt'].includes(format))
    throw new UsageError(`--format ${format} is a ZIP: name its file with --output`)
}

export const batch = command({
  words: 'FILE',
  about: 'Makes transcripts of many videos, or extractions with --prompt or --schema.',
  more: `FILE has a URL on each line, or is a table (CSV) with a column url; - is standard input.
Ctrl-C ends the wait, not the batch. The same command again continues where it is.`,
  options,
  async run(context) {
    checkPlace(context)
    const { words, values, signal } = context
    if (values.id !== undefined) noWords(words)
    else if (values.cancel) throw new UsageError('--cancel goes with --id')
    const client = await connect(context)
    const batchId = values.id ?? (await create(context, client))
    if (values.cancel)
      return writeText(context, JSON.stringify(await client.batches.cancel(batchId, { signal }), null, 2))
    const { counts, reason, items } = await ended(context, client, batchId)
    await write(context, client, batchId)
    const without = items - counts.completed
    if (without > 0 || reason !== 'completed')
      throw new ItemsFailed(`${without} of ${items} videos have no result (batch ${batchId}: ${reason}).`)
  },
})
