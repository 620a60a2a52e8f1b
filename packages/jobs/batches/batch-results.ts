import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { stringify } from 'csv-stringify/sync'
import { ZipFile } from 'yazl'
import type { FormName } from '#packages/content/captions/transcript-forms.ts'
import type { Results } from '#packages/content/results/results.ts'
import type { KnownBatch } from '#packages/domain/batch/state.ts'
import type { JobKind } from '#packages/domain/job/events.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import type { JobQuestion, JobWatch } from '#packages/jobs/status/job-watch.ts'
import { type OwnItem, ownItem } from './own-batch.ts'

type Ports = { watch: Pick<JobWatch, 'wait' | 'wordsOf'>; results: Pick<Results, 'transcriptIn'> }

export const resultFormats = ['ndjson', 'csv', 'srt', 'vtt', 'txt'] as const

export type ResultFormat = (typeof resultFormats)[number]

/** The formats of a kind's results. An extraction has no text, so it has only two. */
export const formatsOf = (kind: JobKind): readonly ResultFormat[] =>
  kind === 'transcript' ? resultFormats : ['ndjson', 'csv']

/** A request for the results of a batch. `signal`: aborted when they are no longer wanted. */
export type WantedResults = { batchId: string; batch: KnownBatch; format: ResultFormat; signal: AbortSignal }

/** A file that is sent while it is made: parts of a text, or bytes. */
export type ResultFile = { contentType: string; name: string; parts: AsyncIterable<string | Uint8Array> }

const zipType = 'application/zip'
const types: Record<ResultFormat, string> = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8',
  srt: zipType,
  vtt: zipType,
  txt: zipType,
}

/** The batch may know the end of a job before a poll shows it. How long to wait for that, milliseconds. */
const SHOWN_WITHIN_MS = 10_000

/** Makes one file of the results of a batch: one result is in memory at a time. */
export class BatchResults {
  readonly #ports: Ports

  constructor(ports: Ports) {
    this.#ports = ports
  }

  /** Makes the file. Reading its parts throws if a result cannot be read, or the signal's reason: it is incomplete. */
  file(wanted: WantedResults): ResultFile {
    const { format, batchId } = wanted
    const ending = types[format] === zipType ? `${format}.zip` : format
    return { contentType: types[format], name: `batch-${batchId}.${ending}`, parts: this.#partsOf(wanted, format) }
  }

  #partsOf(wanted: WantedResults, format: ResultFormat): AsyncIterable<string | Uint8Array> {
    if (format === 'ndjson') return this.#lines(wanted)
    return format === 'csv' ? this.#table(wanted) : this.#zip(wanted, format)
  }

  async *#lines(wanted: WantedResults): AsyncIterable<string> {
    for (const item of itemsOf(wanted)) {
      const result = (await this.#jsonOf(wanted, item)) ?? 'null'
      yield `${JSON.stringify(item).slice(0, -1)},"result":${result}}\n`
    }
  }

  async *#table(wanted: WantedResults): AsyncIterable<string> {
    const isTranscript = wanted.batch.request.kind === 'transcript'
    yield rowOf([...columns, isTranscript ? 'text' : 'result'])
    for (const item of itemsOf(wanted)) {
      const result = isTranscript ? await this.#textOf(wanted, item, 'txt') : await this.#jsonOf(wanted, item)
      yield rowOf([...cellsOf(item), result?.trimEnd() ?? ''])
    }
  }

  /** Only transcripts have such forms. Extractions have only the table. */
  #zip(wanted: WantedResults, form: FormName): AsyncIterable<Uint8Array> {
    const zip = new ZipFile()
    const out = Readable.from(zip.outputStream)
    const mtime = new Date(wanted.batch.endedAt ?? wanted.batch.requestedAt)
    const add = async (name: string, text: string): Promise<void> => {
      const read = Readable.from([Buffer.from(text)])
      zip.addReadStream(read, name, { mtime })
      await finished(read, { signal: wanted.signal })
    }
    const fill = async (): Promise<void> => {
      for (const item of itemsOf(wanted)) {
        const text = await this.#textOf(wanted, item, form)
        if (text !== undefined) await add(`${String(item.item).padStart(4, '0')}-${item.jobId}.${form}`, text)
      }
      await add('items.csv', [columns, ...itemsOf(wanted).map(cellsOf)].map(rowOf).join(''))
      zip.end()
    }
    fill().catch((error: unknown) => out.destroy(error as Error))
    return out
  }

  async #textOf({ batch, signal }: WantedResults, item: OwnItem, form: FormName): Promise<string | undefined> {
    const question = questionOf(batch, item)
    if (question === undefined || question.kind !== 'transcript') return undefined
    const { watch, results } = this.#ports
    const json = (): Promise<string | undefined> => this.#resultOf(question, signal)
    const reads = { json, words: () => watch.wordsOf(question.jobId) }
    return results.transcriptIn(form, reads, { orgId: batch.orgId, signal })
  }

  async #jsonOf({ batch, signal }: WantedResults, item: OwnItem): Promise<string | undefined> {
    signal.throwIfAborted()
    const question = questionOf(batch, item)
    return question && this.#resultOf(question, signal)
  }

  /** Undefined if the content was deleted. @throws ServiceError unavailable if the result is not shown yet */
  async #resultOf(question: JobQuestion, signal: AbortSignal): Promise<string | undefined> {
    const seen = await this.#ports.watch.wait(question, SHOWN_WITHIN_MS, signal)
    if (seen?.status === 'queued') throw new ServiceError('unavailable', 'A result is not shown yet. Try again.')
    return seen?.status === 'completed' ? seen.result : undefined
  }
}

const itemsOf = ({ batch, batchId }: WantedResults): OwnItem[] =>
  batch.items.map((each, item) => ownItem(batchId, each, item))

/** The job with the result of an item. Undefined if it has none. */
const questionOf = ({ orgId, request }: KnownBatch, { jobId, state }: OwnItem): JobQuestion | undefined =>
  state === 'completed' && jobId !== null ? { jobId, orgId, kind: request.kind } : undefined

const columns = ['item', 'url', 'lines', 'state', 'jobId', 'code', 'charged']

const cellsOf = ({ item, url, lines, state, jobId, code, charged }: OwnItem): string[] => [
  String(item),
  url,
  lines.join(' '),
  state,
  jobId ?? '',
  code ?? '',
  String(charged),
]

/** Cells that a spreadsheet would take for a formula get a quote in front. */
const rowOf = (cells: readonly string[]): string =>
  stringify([[...cells]], { quoted: true, escape_formulas: true, record_delimiter: 'windows' })
