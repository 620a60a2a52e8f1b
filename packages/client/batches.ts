import type {
  BatchDetails,
  BatchItem,
  BatchItemList,
  BatchList,
  NewBatchRequest,
} from '../../contracts/generated/http.ts'
import { VideoIntelligenceError } from './error.ts'
import type { Http } from './http.ts'
import type { CallOptions, RequestOptions } from './jobs.ts'
import { linesOf } from './lines-of.ts'
import { sleep } from './sleep.ts'

/** One item with its result, or null if it has none. */
export type BatchResult<R> = BatchItem & { result: R | null }

export type ItemsQuestion = { state?: BatchItem['state']; cursor?: string; limit?: number }

/** Called with the current batch after each poll. */
export type Progress = CallOptions & { onProgress?: (batch: BatchDetails) => void }

const root = '/v1/batches'
const pathOf = (batchId: string): string => `${root}/${encodeURIComponent(batchId)}`

/** The pause between polls, milliseconds. A batch lasts minutes. */
const LOOK_EVERY_MS = 2000

/** Batches: one request for many videos. */
export class Batches {
  readonly #http: Http

  constructor(http: Http) {
    this.#http = http
  }

  /** A repeat with the same idempotency key returns the same batch, and holds its credits once. */
  create(
    body: NewBatchRequest,
    { idempotencyKey = crypto.randomUUID(), signal }: RequestOptions = {},
  ): Promise<BatchDetails> {
    const headers = { 'idempotency-key': idempotencyKey }
    return this.#http.json({ method: 'POST', path: root, body, headers, repeatable: true, signal })
  }

  /** Creates a batch and waits for its end. Aborting the signal ends the wait, not the batch. */
  async run(body: NewBatchRequest, options: RequestOptions & Progress = {}): Promise<BatchDetails> {
    const { batchId } = await this.create(body, options)
    return this.wait(batchId, options)
  }

  async wait(batchId: string, { signal, onProgress }: Progress = {}): Promise<BatchDetails> {
    for (;;) {
      const batch = await this.get(batchId, { ...(signal && { signal }) })
      onProgress?.(batch)
      if (batch.status === 'ended') return batch
      await sleep(LOOK_EVERY_MS, signal)
    }
  }

  list(query: { cursor?: string; limit?: number } = {}, { signal }: CallOptions = {}): Promise<BatchList> {
    return this.#http.json({ path: root, query, repeatable: true, signal })
  }

  get(batchId: string, { signal }: CallOptions = {}): Promise<BatchDetails> {
    return this.#http.json({ path: pathOf(batchId), repeatable: true, signal })
  }

  /** One page of its items, in order. */
  items(batchId: string, query: ItemsQuestion = {}, { signal }: CallOptions = {}): Promise<BatchItemList> {
    return this.#http.json({ path: `${pathOf(batchId)}/items`, query, repeatable: true, signal })
  }

  /** Cancels the batch: no further items begin. Jobs that have begun continue. */
  cancel(batchId: string, { signal }: CallOptions = {}): Promise<BatchDetails> {
    return this.#http.json({ method: 'DELETE', path: pathOf(batchId), repeatable: true, signal })
  }

  /** One file of its current results, as a stream. `srt`, `vtt` and `txt` are ZIPs of transcripts. */
  file(
    batchId: string,
    format: 'ndjson' | 'csv' | 'srt' | 'vtt' | 'txt',
    { signal }: CallOptions = {},
  ): Promise<ReadableStream<Uint8Array>> {
    return this.#http.open({ path: `${pathOf(batchId)}/results`, query: { format }, repeatable: true, signal })
  }

  /** Its items with their current results, in order. @throws VideoIntelligenceError if the stream breaks off */
  async *results<R = unknown>(batchId: string, options: CallOptions = {}): AsyncGenerator<BatchResult<R>> {
    const file = await this.file(batchId, 'ndjson', options)
    try {
      for await (const line of linesOf(file)) yield JSON.parse(line) as BatchResult<R>
    } catch (cause) {
      options.signal?.throwIfAborted()
      const message = 'The results broke off before their end.'
      throw new VideoIntelligenceError('network_error', message, { status: 0, cause })
    }
  }
}
